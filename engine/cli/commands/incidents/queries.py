"""`pratique queries list | share | remove`."""

from __future__ import annotations

import re
from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.audit import check_filter
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models.shared_query import QUERY_NAME, SharedQuery

app = typer.Typer(help="Share queries with all responders, under a name.")
Name = Annotated[str, typer.Argument(help="Its name: a-z 0-9 . _ -")]


@app.command("list")
def listed(json: Json = False) -> None:
    """List the shared queries."""
    found = with_client(lambda client: client.shared_queries.list())
    if json:
        print_json(found)
    for shared in () if json else found:
        _print(shared)
    if not found and not json:
        print_line("No shared queries. Type: pratique queries share NAME QUERY")


@app.command()
def share(
    name: Name,
    query: Annotated[str, typer.Argument(help="A search, as in `pratique audit search`.")],
    json: Json = False,
) -> None:
    """Share a query; one of the same name is replaced."""
    if not re.fullmatch(QUERY_NAME, name):
        raise Problem(422, f"{visible(name)[:60]}: a name has 1 to 40 of a-z 0-9 . _ -")
    check_filter(query)
    shared = with_client(lambda client: client.shared_queries.share(name, query))
    print_json(shared) if json else _print(shared)


@app.command()
def remove(name: Name, json: Json = False) -> None:
    """Share a query no longer; that it was shared stays in the history."""
    with_client(lambda client: client.shared_queries.remove(name))
    print_line(dumps({"removed": name}) if json else f"{visible(name)}: removed")


def _print(shared: SharedQuery) -> None:
    print_line(f"{shared.name:<20}  {visible(shared.query)}")
    print_line(dim(f"{'':22}shared by {visible(shared.by)} {shared.at:%Y-%m-%d %H:%M} UTC"))
