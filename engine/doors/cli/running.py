"""`pratique run | tail | kill`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Annotated

import typer

from engine.doors.cli.engaged import engaged
from engine.doors.cli.exits import exit_of
from engine.doors.cli.submissions import Id, Json, draft_of
from engine.doors.cli.words import result_line, say, say_case, say_json, say_output
from engine.doors.client import Client
from engine.models import Case, Language, Status, Verdict

POLL_SECONDS = 0.2


def run(
    file: Annotated[str, typer.Argument(help="A file of code, or - for standard input.")],
    language: Annotated[Language | None, typer.Option(help="Where the suffix does not say it.")] = None,
    purpose: Annotated[str, typer.Option(help="What the code is for.")] = "",
    input_file: Annotated[list[Path] | None, typer.Option("--with", help="A file for /workspace.")] = None,
    json: Json = False,
) -> None:
    """Do the whole job in a plain terminal: violations, the question, live output, the result."""
    draft = draft_of(file, language, purpose, input_file or [])

    async def whole(client: Client) -> Case:
        case = await client.submit(draft)
        if not json:
            say_case(case)
        if case.status is Status.WAITING:
            case = await _ask(client, case)
        return await follow(client, case.submission.id, quiet=json)

    _finish(engaged(whole), json)


def tail(id: Id, json: Json = False) -> None:
    """Print a run's output, live, and how it ends."""
    _finish(engaged(lambda client: follow(client, id, quiet=json)), json)


def kill(id: Id) -> None:
    """End a run at once."""
    engaged(lambda client: client.kill(id))
    say(f"{id}: killed")


async def follow(client: Client, id: str, *, quiet: bool = False) -> Case:
    """Print the output of a submission's run until it is over, and return its case."""
    while (case := await client.case(id)).status in {Status.WAITING, Status.QUEUED, Status.RUNNING}:
        async for chunk in client.output(id):
            if not quiet:
                say_output(chunk)
        await asyncio.sleep(POLL_SECONDS)
    return case


async def _ask(client: Client, case: Case) -> Case:
    submission = case.submission
    if not sys.stdin.isatty():
        say(f"It waits for a decision: pratique approve {submission.id} --digest {submission.digest[:12]}")
        return case
    typed = await asyncio.to_thread(
        typer.prompt, f'Run it? Type "{submission.digest[:4]}" to approve', "deny"
    )
    verdict = Verdict.APPROVED if typed == submission.digest[:4] else Verdict.DENIED
    return await client.decide(submission.id, verdict, submission.digest)


def _finish(case: Case, json: bool) -> None:
    if json:
        say_json(case)
    elif case.result:
        say(result_line(case.result), error=True)
    else:
        say(f"{case.submission.id}: {case.status.value}", error=True)
    raise typer.Exit(exit_of(case))
