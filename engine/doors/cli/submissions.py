"""`pratique submit | queue | show | approve | deny | history`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from engine.doors.cli.asking import (
    Bounds,
    Box,
    Code,
    Domains,
    Expected,
    Image,
    Inputs,
    Packages,
    Purpose,
    Secrets,
    Spoken,
    Verify,
    Wishes,
    draft_of,
)
from engine.doors.cli.engaged import engaged
from engine.doors.cli.less import lessened
from engine.doors.cli.words import (
    asked_lines,
    consequence_line,
    dim,
    say,
    say_case,
    say_json,
    say_summaries,
    wrapped,
)
from engine.doors.client import Client
from engine.models import Case, Expect, Verdict
from engine.problem import Problem
from engine.text import visible

Json = Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")]
Id = Annotated[str, typer.Argument(help="The submission, as `pratique queue` names it.")]
Reason = Annotated[str, typer.Option("--reason", "-m", help="Why; the agent and the history are told.")]


def submit(  # noqa: PLR0913, PLR0917  each is an option
    file: Code,
    language: Spoken = None,
    purpose: Purpose = "",
    requester: Annotated[str, typer.Option(help="The agent that asks.")] = "",
    input_file: Inputs = None,
    domain: Domains = None,
    package: Packages = None,
    secret: Secrets = None,
    limit: Bounds = None,
    image: Image = "",
    sandbox: Box = "",
    expect: Expected = Expect.ANYTHING,
    verify: Verify = "",
    json: Json = False,
) -> None:
    """Hand in code for a decision."""
    lists = (input_file or (), domain or (), package or (), secret or (), limit or ())
    draft = draft_of(file, language, Wishes(purpose, *lists, image, sandbox, expect, verify))
    case = engaged(lambda client: client.submit(draft), requester)
    say_json(case) if json else say_case(case)


def queue(json: Json = False) -> None:
    """List what waits, is queued or runs."""
    summaries = engaged(lambda client: client.queue())
    if json:
        say_json(summaries)
    elif summaries:
        say_summaries(summaries)
    else:
        say("Nothing waits. Try: pratique submit FILE")


def history(
    filter: Annotated[str, typer.Argument(help="What to look for.")] = "", json: Json = False
) -> None:
    """List submissions, the newest first."""
    summaries = engaged(lambda client: client.history(filter))
    if json:
        say_json(summaries)
    elif summaries:
        say_summaries(summaries)
    else:
        say("Nothing has happened yet that matches." if filter else "Nothing has happened yet.")


def show(id: Id, json: Json = False) -> None:
    """Show a submission: its code, its violations, and what became of it."""
    case = engaged(lambda client: client.case(id))
    if json:
        say_json(case)
        return
    say_case(case)
    say()
    for number, line in enumerate(case.submission.draft.code.text.split("\n"), 1):
        say(f"{number:>5} {visible(line, keep=chr(9))}")


def approve(
    id: Id,
    digest: Annotated[str, typer.Option(help="Of what you read.")],
    reason: Reason = "",
    without: Annotated[list[str] | None, typer.Option(help="Not this: file:NAME, domain:NAME.")] = None,
    limit: Annotated[list[str] | None, typer.Option(help="No more than this: memory_mb=256.")] = None,
    json: Json = False,
) -> None:
    """Approve what the digest names, or less of what it asks for; its run starts."""
    _decide(id, Verdict.APPROVED, digest, reason, without or [], limit or [], json=json)


def deny(id: Id, reason: Reason = "", json: Json = False) -> None:
    """Deny a submission."""
    _decide(id, Verdict.DENIED, "", reason, json=json)


def _decide(
    id: str,
    verdict: Verdict,
    shown: str,
    reason: str,
    without: Sequence[str] = (),
    limits: Sequence[str] = (),
    *,
    json: bool = False,
) -> None:
    async def decide(client: Client) -> Case:
        submission = (await client.case(id)).submission
        digest = submission.digest
        if verdict is Verdict.APPROVED and not (len(shown) >= 8 and digest.startswith(shown)):
            raise Problem(409, f"{id} has another digest", mend=f"Read it again: pratique show {id}")
        if verdict is not Verdict.APPROVED:
            return await client.decide(id, verdict, digest, reason)
        for line in () if json else asked_lines(submission.draft):
            say(wrapped(line, 2))
        grant = lessened(submission.draft.capabilities, without, limits)
        for one in await client.consequences(id, grant):
            say(dim(consequence_line(one)), error=True)
        return await client.decide(id, verdict, digest, reason, grant)

    case = engaged(decide)
    say_json(case) if json else say(f"{visible(id)}: {case.status.value}")
