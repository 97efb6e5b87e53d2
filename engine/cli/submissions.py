"""`pratique submit | queue | show | approve | deny | history`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import engaged
from engine.cli.draft_options import (
    Bounds,
    Box,
    Builds,
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
from engine.cli.formatting import (
    consequence_line,
    dim,
    result_line,
    say,
    say_case,
    say_erased,
    say_json,
    say_summaries,
)
from engine.cli.full_view import printed, say_all, say_unsettled
from engine.cli.grant_options import lessened
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, DecisionOutcome, Erasure, ExpectedOutput, ReviewRecord, Status

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
    build: Builds = None,
    secret: Secrets = None,
    limit: Bounds = None,
    image: Image = "",
    session: Box = "",
    expect: Expected = ExpectedOutput.ANYTHING,
    verify: Verify = "",
    json: Json = False,
) -> None:
    """Hand in code for a decision."""
    lists = (input_file or (), domain or (), package or (), secret or (), limit or ())
    wishes = Wishes(purpose, *lists, image, session, expect, verify, build or ())
    draft = draft_of(file, language, wishes)
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
    """Show a submission: its code, files and violations, and what became of it."""
    case, erased = engaged(lambda client: _with_erasures(client, id))
    if json:
        say_json(case)
        return
    say_all(case)
    say_erased(erased)
    if case.result:
        say()
        say(f"It ended: {result_line(case.result)}. What it printed: pratique tail {case.submission.id}")
    if case.status is Status.PENDING:
        say_unsettled(case, ReviewRecord(seconds=0))


async def _with_erasures(client: Client, id: str) -> tuple[Case, tuple[Erasure, ...]]:
    return await client.case(id), await client.erased(id)


def approve(
    id: Id,
    digest: Annotated[str, typer.Option(help="Of what you read.")],
    reason: Reason = "",
    without: Annotated[list[str] | None, typer.Option(help="Not this: file:NAME, domain:NAME.")] = None,
    limit: Annotated[list[str] | None, typer.Option(help="No more than this: memory_mb=256.")] = None,
    settle: Annotated[
        list[str] | None, typer.Option(help="What you make of a violation: 1=accepted, all=mitigated.")
    ] = None,
    json: Json = False,
) -> None:
    """Print all that the digest names and approve it, or less of what it asks for; its run starts."""

    async def decide(client: Client) -> Case:
        case = await client.case(id)
        submission = case.submission
        if not (len(digest) >= 8 and submission.digest.startswith(digest)):
            raise Problem(409, f"{id} has another digest", hint=f"Read it again: pratique show {id}")
        grant = lessened(submission.draft.permissions, without or [], limit or [])
        review_record = printed(case, settle or [])
        if not json:
            say_all(case)
            say_unsettled(case, review_record)
        for one in await client.consequences(id, grant):
            say(dim(consequence_line(one)), error=True)
        record = None if json else review_record
        return await client.decide(id, DecisionOutcome.APPROVED, submission.digest, reason, grant, record)

    _say_decided(engaged(decide), json)


def deny(id: Id, reason: Reason = "", json: Json = False) -> None:
    """Deny a submission."""

    async def decide(client: Client) -> Case:
        digest = (await client.case(id)).submission.digest
        return await client.decide(id, DecisionOutcome.DENIED, digest, reason)

    _say_decided(engaged(decide), json)


def _say_decided(case: Case, json: bool) -> None:
    say_json(case) if json else say(f"{visible(case.submission.id)}: {case.status.value}")
