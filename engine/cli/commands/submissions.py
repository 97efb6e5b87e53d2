"""`pratique submit | queue | show | approve | deny`."""

from __future__ import annotations

from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json, SubmissionId
from engine.cli.options.draft import (
    AssertOption,
    BuildOptions,
    CodeArgument,
    DomainOptions,
    DraftOptions,
    ExpectOption,
    FileOptions,
    ImageOption,
    LanguageOption,
    LimitOptions,
    PackageOptions,
    PurposeOption,
    ReplyOptions,
    RevisesOption,
    SecretOptions,
    SessionOption,
    build_draft,
)
from engine.cli.options.grant import reduced_grant
from engine.cli.output.formatting import (
    consequence_line,
    decided_line,
    dim,
    print_case,
    print_erasures,
    print_json,
    print_line,
    print_summaries,
    result_line,
)
from engine.cli.output.full_view import print_submission, print_untriaged
from engine.cli.review import review
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, DecisionOutcome, Erasure, ExpectedOutput, ReviewRecord, Status

Reason = Annotated[
    str, typer.Option("--reason", "-m", help="Reason, shown to the agent and kept in the history.")
]


def submit(  # noqa: PLR0913, PLR0917  each is an option
    file: CodeArgument,
    language: LanguageOption = None,
    purpose: PurposeOption = "",
    requester: Annotated[str, typer.Option(help="Name of the agent that submits.")] = "",
    input_file: FileOptions = None,
    domain: DomainOptions = None,
    package: PackageOptions = None,
    build: BuildOptions = None,
    secret: SecretOptions = None,
    limit: LimitOptions = None,
    image: ImageOption = "",
    session: SessionOption = "",
    expect: ExpectOption = ExpectedOutput.ANYTHING,
    verify: AssertOption = "",
    revises: RevisesOption = "",
    reply: ReplyOptions = None,
    json: Json = False,
) -> None:
    """Submit code for review."""
    lists = (input_file or (), domain or (), package or (), secret or (), limit or ())
    options = DraftOptions(purpose, *lists, image, session, expect, verify, build or (), revises, reply or ())
    draft = build_draft(file, language, options)
    case = with_client(lambda client: client.submit(draft), requester)
    print_json(case) if json else print_case(case)


def queue(json: Json = False) -> None:
    """List submissions that are pending, queued or running."""
    summaries = with_client(lambda client: client.queue())
    if json:
        print_json(summaries)
    elif summaries:
        print_summaries(summaries)
    else:
        print_line("The queue is empty. Type: pratique submit FILE")


def show(id: SubmissionId, json: Json = False) -> None:
    """Show a submission: code, input files, violations, decision and result."""
    case, erased = with_client(lambda client: _with_erasures(client, id))
    if json:
        print_json(case)
        return
    print_submission(case)
    print_erasures(erased)
    if case.result:
        print_line()
        print_line(
            f"It ended: {result_line(case.result)}. What it printed: pratique tail {case.submission.id}"
        )
    if case.status is Status.PENDING:
        print_untriaged(case, ReviewRecord(seconds=0))


async def _with_erasures(client: Client, id: str) -> tuple[Case, tuple[Erasure, ...]]:
    return await client.case(id), await client.history.erasures(id)


def approve(
    id: SubmissionId,
    digest: Annotated[str, typer.Option(help="Digest of the reviewed submission, at least 8 characters.")],
    reason: Reason = "",
    without: Annotated[
        list[str] | None, typer.Option(help="Do not grant this: file:NAME, domain:NAME, session, …")
    ] = None,
    limit: Annotated[list[str] | None, typer.Option(help="Lower a limit: memory_mb=256.")] = None,
    triage: Annotated[
        list[str] | None,
        typer.Option(help="Triage a violation: 1=accepted, 2=false-positive, all=mitigated."),
    ] = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="State that you reviewed all of it elsewhere; it is recorded.")
    ] = False,
    json: Json = False,
) -> None:
    """Print a submission, ask, and approve it with all or fewer permissions; its run starts."""

    async def decide(client: Client) -> Case:
        case = await client.case(id)
        submission = case.submission
        if not (len(digest) >= 8 and submission.digest.startswith(digest)):
            raise Problem(
                409,
                f"{visible(id)} does not have this digest",
                hint=f"Review it again: pratique show {visible(id)}",
            )
        grant = reduced_grant(submission.draft.permissions, without or [], limit or [])
        record = await review(case, triage or [], reviewed=reviewed, quiet=json)
        for one in await client.consequences(id, grant):
            print_line(dim(consequence_line(one)), error=True)
        return await client.decide(id, DecisionOutcome.APPROVED, submission.digest, reason, grant, record)

    _print_decision(with_client(decide), json)


def deny(id: SubmissionId, reason: Reason = "", json: Json = False) -> None:
    """Deny a submission."""

    async def decide(client: Client) -> Case:
        digest = (await client.case(id)).submission.digest
        return await client.decide(id, DecisionOutcome.DENIED, digest, reason)

    _print_decision(with_client(decide), json)


def _print_decision(case: Case, json: bool) -> None:
    print_json(case) if json else print_line(f"{visible(case.submission.id)}: {decided_line(case)}")
