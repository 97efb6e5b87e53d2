"""`pratique hold list | place | release`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.text import visible
from engine.models.erasing.erasure import Hold

app = typer.Typer(help="Legal holds: what their queries find is not erased.")


@app.command("list")
def listed(json: Json = False) -> None:
    """List the legal holds in force."""
    holds = with_client(lambda client: client.erasures.holds())
    if json:
        print_json(holds)
    for hold in () if json else holds:
        _print(hold)
    if not holds and not json:
        print_line("No legal holds. Type: pratique hold place QUERY --reason WHY")


@app.command()
def place(
    query: Annotated[str, typer.Argument(help="What is kept, now and later: id:ID, agent:NAME, ...")],
    reason: Annotated[str, typer.Option(help="Why; it is recorded.")],
    json: Json = False,
) -> None:
    """Keep whatever a query finds from being erased."""
    hold = with_client(lambda client: client.erasures.hold(query, reason))
    print_json(hold) if json else _print(hold)


@app.command()
def release(
    id: Annotated[str, typer.Argument(help="Hold ID, as shown by `pratique hold list`.")],
    json: Json = False,
) -> None:
    """Release a legal hold; that it was there stays in the history."""
    with_client(lambda client: client.erasures.release(id))
    print_line(dumps({"released": id}) if json else f"{visible(id)}: released")


def _print(hold: Hold) -> None:
    print_line(f"{hold.id}  {visible(hold.query)}")
    print_line(dim(f"{'':12}{visible(hold.reason)}, by {visible(hold.by)} {hold.at:%Y-%m-%d %H:%M} UTC"))
