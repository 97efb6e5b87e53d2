"""`pratique run | tail | kill`."""

from __future__ import annotations

import asyncio
import contextlib
import sys

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
from engine.cli.exit_codes import exit_of
from engine.cli.formatting import result_line, say, say_case, say_erased, say_json, say_output
from engine.cli.submissions import Id, Json
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.models import Case, DecisionOutcome, ExpectedOutput, Status

OPEN = {Status.PENDING, Status.QUEUED, Status.RUNNING}
OVER_SECONDS = 10.0
"""How long one request waits for a case whose output has ended to be over."""
KILL_SECONDS = 10.0
"""How long a killed run may take to be over."""


def run(  # noqa: PLR0913, PLR0917  each is an option
    file: Code,
    language: Spoken = None,
    purpose: Purpose = "",
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
    """Do the whole job in a plain terminal: violations, the question, live output, the result."""
    lists = (input_file or (), domain or (), package or (), secret or (), limit or ())
    wishes = Wishes(purpose, *lists, image, session, expect, verify, build or ())
    draft = draft_of(file, language, wishes)

    async def whole(client: Client) -> Case:
        case = await client.submit(draft)
        if not json:
            say_case(case)
        if case.status is Status.PENDING:
            case = await _ask(client, case)
        return await follow(client, case.submission.id, quiet=json)

    _finish(engaged(whole), json)


def tail(id: Id, json: Json = False) -> None:
    """Print a run's output, live or all of it where the run is over, and how it ended."""
    _finish(engaged(lambda client: follow(client, id, quiet=json)), json)


def kill(id: Id, json: Json = False) -> None:
    """End a run at once."""

    async def end(client: Client) -> Case:
        await client.kill(id)
        return await client.case(id, within=KILL_SECONDS)

    case = engaged(end)
    say_json(case) if json else say(f"{visible(id)}: killed")


async def follow(client: Client, id: str, *, quiet: bool = False) -> Case:
    """Print the output of a submission's run, all of it, until it is over, and return its case."""
    await _print_output(client, id, quiet=quiet)
    while (case := await client.case(id, within=OVER_SECONDS)).status in OPEN:
        pass
    return case


async def _print_output(client: Client, id: str, *, quiet: bool) -> None:
    """Print what a run writes and has written. What retention has erased is a line and not the end."""
    try:
        async with contextlib.aclosing(client.output(id)) as output:
            async for chunk in output:
                if not quiet:
                    say_output(chunk)
        say_erased(one for one in await client.erased(id) if one.what == "output")
    except Problem as problem:
        if problem.status != 410:
            raise
        say(str(problem), error=True)


async def _ask(client: Client, case: Case) -> Case:
    submission = case.submission
    if not sys.stdin.isatty():
        say(f"It waits for a decision: pratique approve {submission.id} --digest {submission.digest[:12]}")
        return case
    typed = await asyncio.to_thread(
        typer.prompt, f'Run it? Type "{submission.digest[:4]}" to approve', "deny"
    )
    outcome = DecisionOutcome.APPROVED if typed == submission.digest[:4] else DecisionOutcome.DENIED
    return await client.decide(submission.id, outcome, submission.digest)


def _finish(case: Case, json: bool) -> None:
    if json:
        say_json(case)
    elif case.result:
        say(result_line(case.result), error=True)
    else:
        say(f"{case.submission.id}: {case.status.value}", error=True)
    raise typer.Exit(exit_of(case))
