"""`pratique claim`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.commands.submissions import Id, Json
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible


def claim(
    id: Id,
    release: Annotated[bool, typer.Option("--release", help="Let go of it.")] = False,
    json: Json = False,
) -> None:
    """Say that you are at a submission, so that no other reviewer does the same work."""
    case = with_client(lambda client: client.release(id) if release else client.claim(id))
    held = f"yours until {case.claim.until:%H:%M:%S} UTC" if case.claim else "nobody's"
    print_json(case) if json else print_line(f"{visible(id)}: {held}")
