"""`pratique audit`: search, count, pivots, verify, trends, careless, timeline, replay, export, case."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.client_context import with_client
from engine.cli.commands.learning.careless import careless
from engine.cli.exit_codes import ExitCode
from engine.cli.options.common import Json, SubmissionId
from engine.cli.output.formatting import dim, level, print_erasures, print_json, print_line, print_output
from engine.cli.output.history_export import Format, exported, found_by, save, write
from engine.cli.output.progress import progress_bar
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.local_files import read_file
from engine.common.presentation import describe_result
from engine.common.text import visible
from engine.history.errors import HistoryError
from engine.history.exports import case_verify
from engine.history.search.pivots import pivots
from engine.history.search.query.errors import QueryError
from engine.history.search.query.parser import parse
from engine.history.search.timeline import Step, timeline
from engine.history.store.sqlite.read_case_file import read_case_file
from engine.history.witness.checkpoint_file import read
from engine.models import Case, Event, Status, Summary, Verification
from engine.models.history import Total

app = typer.Typer(help="Search, verify, replay and export the history.")
app.command()(careless)

LONGEST_PAUSE = 5.0
LONGEST_NOTE = 1000
MOST_CHECKPOINTS = 1 << 28
"""Bytes of a file of checkpoints."""
RECORD_SECONDS = 5.0
"""How long to wait for an engine to record that a case file was exported."""

Filter = Annotated[
    str, typer.Argument(help='Filter, for example: risk:critical since:7d text:"requests.get"')
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")
]


@app.command()
def search(
    filter: Filter = "",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of results.")] = 50,
    sort: Annotated[str, typer.Option(help="Field to sort by; -duration: descending.")] = "",
    json: Json = False,
) -> None:
    """List the submissions that match a query, newest first."""
    check_filter(filter)
    found, total = with_client(lambda client: _found(client, filter, limit, sort))
    if json:
        print_json(found)
    elif found:
        for summary in found:
            print_line(_line(summary))
        if total.count > len(found):
            print_line(f"The first {len(found):,} of {total_text(total)}.", error=True)
    else:
        print_line("No submission matches.", error=True)


async def _found(client: Client, filter: str, limit: int, sort: str) -> tuple[list[Summary], Total]:
    found = await found_by(client, filter, limit, sort)
    known = Total(count=len(found), exact=True)
    return found, await client.history.total(filter) if len(found) == limit else known


def total_text(total: Total) -> str:
    """Return how many submissions there are, in words."""
    return f"{'' if total.exact else 'at least '}{total.count:,}"


@app.command()
def count(
    filter: Filter = "",
    by: Annotated[
        str, typer.Option("--by", help="Count by this field, for example: approver, observed.host.")
    ] = "",
    json: Json = False,
) -> None:
    """Count the submissions that match a query, and how many have each value of a field."""
    check_filter(filter)
    total = with_client(lambda client: client.history.total(filter))
    counts = with_client(lambda client: client.history.counts(filter, by)) if by else None
    if json:
        print_json(counts or total)
        return
    print_line(total_text(total))
    if counts:
        for value, many in counts.counts.items():
            print_line(f"{many:>9,}  {visible(value)}")
        if not counts.exact:
            print_line("Only the newest were counted by value.", error=True)


@app.command(name="pivots")
def show_pivots(id: SubmissionId, json: Json = False) -> None:
    """List queries that lead on from a submission: same host, same agent, similar code."""
    case, events = with_client(lambda client: _case_and_events(client, id))
    found = pivots(case, events)
    for pivot in found:
        if json:
            print_line(dumps(pivot._asdict()))
            continue
        print_line(f"{visible(pivot.words)}\n    {visible(pivot.query)}")


async def _case_and_events(client: Client, id: str) -> tuple[Case, tuple[Event, ...]]:
    return await client.case(id), await client.history.events(id)


def _line(summary: Summary) -> str:
    at = summary.submitted_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    end = describe_result(summary) if summary.status is Status.KILLED else summary.status.value
    who, by = (f"{visible(name)[:16]:<16}" for name in (summary.requester, summary.reviewer))
    first = dim(visible(summary.first_line)[:60])
    return f"{at}  {level(summary.risk)} {summary.id}  {end:<19} {summary.language:<10} {who} {by} {first}"


@app.command()
def verify(
    resume: Annotated[
        bool, typer.Option("--resume", help="Verify only the records after the last checkpoint.")
    ] = False,
    witness: Annotated[
        Path | None,
        typer.Option("--witness", help="Compare with a file of checkpoints kept outside this machine."),
    ] = None,
    json: Json = False,
) -> None:
    """Verify the hash chain and signatures of the history."""
    kept = read_witness(witness) if witness else []
    found = with_client(lambda client: _verified(client, resume=resume, kept=kept))
    if json:
        print_json(found)
    else:
        since = "; only what came after the last checkpoint was read" if resume and not witness else ""
        print_line(visible(found.statement) + since, error=not found.intact)
    raise typer.Exit(ExitCode.OK if found.intact else ExitCode.FAILED)


def read_witness(file: Path) -> list[str]:
    """Return the checkpoints in a witness file.

    Raises:
        Problem: the file cannot be read, or contains no checkpoint.
    """
    try:
        kept = read(read_file(file, MOST_CHECKPOINTS).decode("utf-8", "replace"))
    except OSError as error:
        raise Problem(422, f"{visible(str(file))} cannot be read: {error.strerror}") from None
    if not kept:
        raise Problem(
            422, f"{visible(str(file))} contains no checkpoint", hint="Name a copy of pratique.db.checkpoints"
        )
    return [note[:LONGEST_NOTE] for note in kept]


async def _verified(client: Client, *, resume: bool, kept: Sequence[str]) -> Verification:
    with progress_bar("records") as report_progress:
        async with contextlib.aclosing(
            client.history.verify_with_progress(resume=resume, witnessed=kept)
        ) as steps:
            async for step in steps:
                if step.found:
                    return step.found
                report_progress(step.done, step.total)
    raise Problem(503, "the verification was interrupted", hint="Type: pratique audit verify --resume")


@app.command()
def trends(
    days: Annotated[float, typer.Option(min=0.01, help="Number of days to include.")] = 7, json: Json = False
) -> None:
    """Show metrics of recent submissions: kills, decision times, fast approvals, top requesters."""
    found = with_client(lambda client: client.history.trends(days))
    if json:
        print_json(found)
        return
    print_line(f"{found.submissions:,} submissions, {found.runs:,} runs in {days:g} days")
    alert = "  ALERT: more than 2 %" if found.memory_alert else ""
    print_line(f"killed for memory   {found.memory_share:7.1%}{alert}")
    print_line(f"expired             {found.expired_share:7.1%}")
    print_line(f"approved under 3 s  {found.hasty_share:7.1%}")
    for risk, times in found.decision_seconds.items():
        print_line(
            f"decided {risk.value:<9} p50 {times.p50:,.1f} s, p95 {times.p95:,.1f} s, {times.count:,} in all"
        )
    for name, count in found.busiest.items():
        print_line(f"{count:>8,}  {visible(name)}")


@app.command(name="timeline")
def show_timeline(id: SubmissionId, json: Json = False) -> None:
    """Show what happened to a submission as sentences, with who did it and how long it took."""
    steps = timeline(with_client(lambda client: client.history.events(id)))
    if json:
        print_json(steps)
    else:
        print_steps(steps)


def print_steps(steps: Iterable[Step]) -> None:
    """Print a line for each step of a timeline."""
    for step in steps:
        since = f"+{step.since_start.total_seconds():.3f}"
        took = dim(f"({step.took.total_seconds():.3f} s)")
        print_line(f"{since:>12} s  {visible(step.actor):<16} {step.sentence}  {took}")


@app.command()
def replay(
    id: SubmissionId,
    speed: Annotated[float, typer.Option(min=0.01, help="Playback speed; 2 is twice as fast.")] = 1.0,
) -> None:
    """Replay a run's output with its original timing."""

    async def play(client: Client) -> None:
        last = 0.0
        async for chunk in client.output(id):
            await asyncio.sleep(min(max(0.0, chunk.at - last) / speed, LONGEST_PAUSE))
            last = max(last, chunk.at)
            print_output(chunk)
            sys.stdout.flush()
        print_erasures(one for one in await client.history.erasures(id) if one.what == "output")

    with_client(play)


@app.command()
def export(
    what: Annotated[str, typer.Argument(help="Filter; for --format cast, a submission ID.")] = "",
    kind: Annotated[Format, typer.Option("--format", "-f", help="Output format.")] = Format.JSONL,
    output: Output = None,
) -> None:
    """Export events (jsonl, ocsf), submissions (csv) or the recording of one run (cast)."""
    if kind is not Format.CAST:
        check_filter(what)
    write(output, with_client(lambda client: exported(client, what, kind)))


@app.command(name="case")
def case_file(id: SubmissionId, output: Output = None) -> None:
    """Write the case file of a submission: a zip that anyone can verify."""
    try:
        content = read_case_file(locations.database(), id)
    except HistoryError as error:
        raise Problem(404, error.title, hint=error.hint) from None
    if not asyncio.run(_recorded(id)):
        print_line("No engine is running: this export is not recorded in the history.", error=True)
    path = output or Path(f"{id}.zip")
    save(path, [content])
    print_line(f"{visible(str(path))}: {len(content):,} bytes, from the history {locations.database()}")
    key = locations.database().with_suffix(".pub")
    print_line(f"To verify it here: pratique audit verify-case {visible(str(path))}")
    print_line(f"To verify it elsewhere: python3 verify.py --key {key.name} CASE.zip, with a copy of {key}")


@app.command()
def verify_case(
    file: Annotated[Path, typer.Argument(help="The case file, or the folder it was unpacked to.")],
    key: Annotated[
        list[str] | None,
        typer.Option(help="The engine's key: PEM file or hexadecimal. [default: this machine's]"),
    ] = None,
    reviewer_key: Annotated[
        list[str] | None, typer.Option(metavar="NAME=KEY", help="A reviewer's key, as received from them.")
    ] = None,
) -> None:
    """Verify a case file, as verify.py does: exit 0 proved, 1 not proved, 3 cannot tell."""
    keys = key or [str(own) for own in [locations.database().with_suffix(".pub")] if own.exists()]
    named = [("--key", one) for one in keys] + [("--reviewer-key", one) for one in reviewer_key or ()]
    raise typer.Exit(case_verify.main([*(word for pair in named for word in pair), "--", str(file)]))


async def _recorded(id: str) -> bool:
    """Return whether a running engine recorded the export; do not start one."""
    with contextlib.suppress(Problem, TimeoutError):
        async with asyncio.timeout(RECORD_SECONDS), Client() as client:
            await client.history.record_export(id, "case", 1)
            return True
    return False


def check_filter(filter: str) -> None:
    """Check the syntax of a filter.

    Raises:
        Problem: it is not a valid filter; the message points at the position.
    """
    try:
        parse(filter, datetime.now(UTC))
    except QueryError as error:
        shown = visible(filter[:200])
        pointer = " " * len(visible(filter[: min(error.position, 200)])) + "^"
        raise Problem(422, f"{error.title}\n  {shown}\n  {pointer}\n{error.hint}".rstrip()) from None
