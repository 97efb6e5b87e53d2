"""`pratique submit | queue | show | approve | deny | history`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from engine.doors.cli.engaged import engaged
from engine.doors.cli.less import lessened
from engine.doors.cli.words import consequence_line, dim, say, say_case, say_json, say_summaries
from engine.doors.client import Client
from engine.doors.files import read_draft
from engine.models import Case, Draft, InputFile, Language, Verdict
from engine.problem import Problem
from engine.text import Untrusted, visible

MAX_BYTES = 32 * 1024 * 1024

Json = Annotated[bool, typer.Option("--json", help="Print JSON, a line for each.")]
Id = Annotated[str, typer.Argument(help="The submission, as `pratique queue` names it.")]
Reason = Annotated[str, typer.Option("--reason", "-m", help="Why; the agent and the history are told.")]


def submit(
    file: Annotated[str, typer.Argument(help="A file of code, or - for standard input.")],
    language: Annotated[Language | None, typer.Option(help="Where the suffix does not say it.")] = None,
    purpose: Annotated[str, typer.Option(help="What the code is for, in the agent's words.")] = "",
    requester: Annotated[str, typer.Option(help="The agent that asks.")] = "",
    input_file: Annotated[list[Path] | None, typer.Option("--with", help="A file for /workspace.")] = None,
    json: Json = False,
) -> None:
    """Hand in code for a decision."""
    draft = draft_of(file, language, purpose, input_file or [])
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
) -> None:
    """Approve what the digest names, or less of what it asks for; its run starts."""
    _decide(id, Verdict.APPROVED, digest, reason, without or [], limit or [])


def deny(id: Id, reason: Reason = "") -> None:
    """Deny a submission."""
    _decide(id, Verdict.DENIED, "", reason)


def _decide(
    id: str,
    verdict: Verdict,
    shown: str,
    reason: str,
    without: Sequence[str] = (),
    limits: Sequence[str] = (),
) -> None:
    async def decide(client: Client) -> Case:
        submission = (await client.case(id)).submission
        digest = submission.digest
        if verdict is Verdict.APPROVED and not (len(shown) >= 8 and digest.startswith(shown)):
            raise Problem(409, f"{id} has another digest", mend=f"Read it again: pratique show {id}")
        if verdict is not Verdict.APPROVED:
            return await client.decide(id, verdict, digest, reason)
        grant = lessened(submission.draft.capabilities, without, limits)
        for one in await client.consequences(id, grant):
            say(dim(consequence_line(one)))
        return await client.decide(id, verdict, digest, reason, grant)

    case = engaged(decide)
    say(f"{id}: {case.status.value}")


def draft_of(file: str, language: Language | None, purpose: str, inputs: list[Path]) -> Draft:
    """Return the draft that the arguments of `submit` and `run` describe.

    Raises:
        Problem: a file cannot be read, is not UTF-8, or is in no known language.
    """
    draft = _from_input(language) if file == "-" else read_draft(Path(file), MAX_BYTES, language)
    files = tuple(_input(path) for path in inputs)
    return draft.model_copy(update={"purpose": Untrusted(purpose), "files": files})


def _from_input(language: Language | None) -> Draft:
    if language is None:
        raise Problem(415, "standard input has no suffix", mend="Add --language python")
    try:
        code = sys.stdin.buffer.read(MAX_BYTES + 1).decode()
    except UnicodeDecodeError as error:
        raise Problem(422, f"standard input is not UTF-8 text, from byte {error.start} on") from None
    return Draft(code=Untrusted(code), language=language)


def _input(path: Path) -> InputFile:
    try:
        return InputFile(name=Untrusted(path.name), content=path.read_bytes())
    except OSError as error:
        raise Problem(422, f"{path} cannot be read: {error.strerror}") from None
