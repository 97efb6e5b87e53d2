"""`pratique claim`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import print_json, print_line
from engine.common.text import visible


def claim(
    id: SubmissionId,
    release: Annotated[bool, typer.Option("--release", help="Release the claim.")] = False,
    json: Json = False,
) -> None:
    """Claim a submission, so that other reviewers see that you are reviewing it."""
    case = with_client(lambda client: client.release(id) if release else client.claim(id))
    held = f"claimed until {case.claim.until:%H:%M:%S} UTC" if case.claim else "not claimed"
    print_json(case) if json else print_line(f"{visible(id)}: {held}")
