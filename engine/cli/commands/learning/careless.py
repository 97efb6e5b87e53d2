"""`pratique audit careless`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import many, visible


def careless(
    days: Annotated[float, typer.Option(min=0.05, max=400, help="Number of days to include.")] = 30,
    json: Json = False,
) -> None:
    """List approvals that look careless: given within two seconds, surprising or killed afterwards."""
    found = with_client(lambda client: client.policy.careless(days))
    if json:
        print_json(found)
        return
    for one in found.careless:
        at = one.at.astimezone().strftime("%Y-%m-%d %H:%M")
        who = visible(one.reviewer)[:16]
        print_line(f"{at}  {one.id}  {who:<16} {one.seconds:>6.1f} s  {'; '.join(one.signs)}")
    given = many(found.approvals, "approval")
    print_line(f"{len(found.careless)} of {given} in {days:g} days look careless.")
