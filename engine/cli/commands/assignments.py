"""`pratique assign`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible


def assign(
    ids: Annotated[list[str], typer.Argument(help="The submissions.", metavar="ID...")],
    to: Annotated[str, typer.Option("--to", help="The reviewer's name; `me` is yourself.")] = "me",
    nobody: Annotated[bool, typer.Option("--nobody", help="Assign them to nobody.")] = False,
    json: Json = False,
) -> None:
    """Assign pending submissions to a reviewer; others may still decide about them."""
    answers = with_client(lambda client: client.reviews.assign(ids, "" if nobody else to))
    if json:
        print_json(answers)
    for answer in () if json else answers:
        done = "assigned to nobody" if nobody else f"assigned to {visible(to)}"
        print_line(f"{visible(answer.id)}: {visible(answer.problem) or done}")
    if any(answer.problem for answer in answers):
        raise typer.Exit(1)
