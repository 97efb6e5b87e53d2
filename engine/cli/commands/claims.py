"""`pratique claim | extend | expired | revive`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import dim, print_json, print_line, print_summaries
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


def extend(id: SubmissionId, json: Json = False) -> None:
    """Give a pending submission ten more minutes."""
    case = with_client(lambda client: client.reviews.extend(id))
    until = f"expires at {case.deadline:%H:%M:%S} UTC" if case.deadline else "has no deadline"
    print_json(case) if json else print_line(f"{visible(id)}: {until}")


def revive(id: SubmissionId, json: Json = False) -> None:
    """Let an expired submission wait for a decision again, as a new submission of the same code."""
    case = with_client(lambda client: client.reviews.revive(id))
    new = case.submission.id
    print_json(case) if json else print_line(f"{visible(id)} waits again as {new}: pratique approve {new}")


def expired(json: Json = False) -> None:
    """List submissions that expired within a week, and why each had its level."""
    entries = with_client(lambda client: client.reviews.expired())
    if json:
        print_json(entries)
        return
    for entry in entries:
        print_summaries([entry.summary])
        print_line(dim(f"         {visible(entry.level_reason)}"))
    if not entries:
        print_line("Nothing expired within a week.")
