"""`pratique run | tail | kill | pause | resume`."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable

import typer

from engine.cli.client_context import with_client
from engine.cli.exit_codes import exit_code_of
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
from engine.cli.output.formatting import (
    print_case,
    print_erasures,
    print_json,
    print_line,
    print_output,
    result_line,
)
from engine.cli.review import on_terminal, review_or_deny
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import OPEN, Case, DecisionOutcome, ExpectedOutput, Status

FINISH_SECONDS = 10.0
"""How long one request waits for a run whose output has ended to finish."""
KILL_SECONDS = 10.0
"""How long a killed run may take to finish."""


def run(  # noqa: PLR0913, PLR0917  each is an option
    file: CodeArgument,
    language: LanguageOption = None,
    purpose: PurposeOption = "",
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
    """Submit code, show its violations, ask for approval and follow the run."""
    lists = (input_file or (), domain or (), package or (), secret or (), limit or ())
    options = DraftOptions(purpose, *lists, image, session, expect, verify, build or (), revises, reply or ())
    draft = build_draft(file, language, options)

    async def whole(client: Client) -> Case:
        case = await client.submit(draft)
        if not json:
            print_case(case)
        if case.status is Status.PENDING:
            case = await _ask_reviewer(client, case)
        return await follow(client, case.submission.id, quiet=json)

    _finish(with_client(whole), json)


def tail(id: SubmissionId, json: Json = False) -> None:
    """Follow the output of a run, then print its result."""
    _finish(with_client(lambda client: follow(client, id, quiet=json)), json)


def kill(id: SubmissionId, json: Json = False) -> None:
    """Kill a run."""

    async def end(client: Client) -> Case:
        await client.kill(id)
        return await client.case(id, within=KILL_SECONDS)

    case = with_client(end)
    print_json(case) if json else print_line(f"{visible(id)}: killed")


def pause(id: SubmissionId, json: Json = False) -> None:
    """Pause a run: every process of it stands still, and its time limit with them."""
    _control(id, "paused", lambda client: client.pause(id), json=json)


def resume(id: SubmissionId, json: Json = False) -> None:
    """Let a paused run go on."""
    _control(id, "goes on", lambda client: client.resume(id), json=json)


def _control(id: str, said: str, call: Callable[[Client], Awaitable[None]], *, json: bool) -> None:
    async def done(client: Client) -> Case:
        await call(client)
        return await client.case(id)

    case = with_client(done)
    print_json(case) if json else print_line(f"{visible(id)}: {said}")


async def follow(client: Client, id: str, *, quiet: bool = False) -> Case:
    """Print the output of a run until it ends, and return its case."""
    await _print_output(client, id, quiet=quiet)
    while (case := await client.case(id, within=FINISH_SECONDS)).status in OPEN:
        pass
    return case


async def _print_output(client: Client, id: str, *, quiet: bool) -> None:
    """Print all output of a run; report erased output in one line."""
    try:
        async with contextlib.aclosing(client.output(id)) as output:
            async for chunk in output:
                if not quiet:
                    print_output(chunk)
        print_erasures(one for one in await client.history.erasures(id) if one.what == "output")
    except Problem as problem:
        if problem.status != 410:
            raise
        print_line(str(problem), error=True)


async def _ask_reviewer(client: Client, case: Case) -> Case:
    submission = case.submission
    if not on_terminal():
        print_line(f"Pending. Type: pratique approve {submission.id} --digest {submission.digest[:12]}")
        return case
    record = await review_or_deny(case)
    outcome = DecisionOutcome.APPROVED if record else DecisionOutcome.DENIED
    return await client.decide(submission.id, outcome, submission.digest, review_record=record)


def _finish(case: Case, json: bool) -> None:
    if json:
        print_json(case)
    elif case.result:
        print_line(result_line(case.result), error=True)
    else:
        print_line(f"{case.submission.id}: {case.status.value}", error=True)
    raise typer.Exit(exit_code_of(case))
