"""`pratique audit search | verify | trends | timeline | replay | export | case`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from engine import locations
from engine.cli.client_context import with_client
from engine.cli.commands.submissions import Id, Json
from engine.cli.exit_codes import ExitCode
from engine.cli.output.formatting import dim, level, print_erasures, print_json, print_line, print_output
from engine.cli.output.history_export import Format, exported, found_by, write
from engine.cli.output.progress import progress_bar
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import visible
from engine.history import HistoryError
from engine.history.exports.read_case_file import read_case_file
from engine.history.search.filter import FilterError, parse
from engine.history.search.timeline import Step, timeline
from engine.history.witness.checkpoint_file import read
from engine.models import Status, Summary, Verification

app = typer.Typer(help="Search, replay, export and prove the history.")

LONGEST_PAUSE = 5.0
LONGEST_NOTE = 1000
RECORD_SECONDS = 5.0
"""How long a case file waits for an engine to record it."""

Filter = Annotated[str, typer.Argument(help='For example: risk:critical since:7d text:"requests.get"')]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="A file, instead of standard output.")]


@app.command()
def search(
    filter: Filter = "",
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 50,
    json: Json = False,
) -> None:
    """List the submissions that a filter finds, the newest first."""
    check(filter)
    found = with_client(lambda client: found_by(client, filter, limit))
    if json:
        print_json(found)
    elif found:
        for summary in found:
            print_line(_line(summary))
    else:
        print_line("Nothing matches.", error=True)


def _line(summary: Summary) -> str:
    at = summary.submitted_at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    killed = summary.status is Status.KILLED and summary.kill_reason
    end = f"killed: {summary.kill_reason}" if killed else summary.status.value
    who, by = (f"{visible(name)[:16]:<16}" for name in (summary.requester, summary.reviewer))
    first = dim(visible(summary.first_line)[:60])
    return f"{at}  {level(summary.risk)} {summary.id}  {end:<19} {summary.language:<10} {who} {by} {first}"


@app.command()
def verify(
    resume: Annotated[
        bool, typer.Option("--resume", help="Take what the last checkpoint covers as read.")
    ] = False,
    witness: Annotated[
        Path | None, typer.Option("--witness", help="Checkpoints that somebody outside has kept.")
    ] = None,
    json: Json = False,
) -> None:
    """Read the whole history and say whether anybody has touched it."""
    kept = read_witness(witness) if witness else []
    found = with_client(lambda client: _verified(client, resume=resume, kept=kept))
    if json:
        print_json(found)
    elif found.intact:
        outside = f", {found.witnessed:,} of the witness" if witness else ""
        since = " since the last checkpoint" if resume and not witness else ""
        print_line(f"{found.events:,} records, {found.checkpoints:,} checkpoints{outside}, intact{since}")
    else:
        print_line(f"NOT INTACT: {visible(found.problem)}", error=True)
    raise typer.Exit(ExitCode.OK if found.intact else ExitCode.FAILED)


def read_witness(file: Path) -> list[str]:
    """Return the checkpoints that a witness has kept in a file.

    Raises:
        Problem: it cannot be read, or holds none.
    """
    try:
        kept = read(file.read_text("utf-8", errors="replace"))
    except OSError as error:
        raise Problem(422, f"{visible(str(file))} cannot be read: {error.strerror}") from None
    if not kept:
        raise Problem(
            422, f"{visible(str(file))} holds no checkpoint", hint="Name a copy of pratique.db.checkpoints"
        )
    return [note[:LONGEST_NOTE] for note in kept]


async def _verified(client: Client, *, resume: bool, kept: Sequence[str]) -> Verification:
    with progress_bar("records") as tell:
        async with contextlib.aclosing(client.verifying(resume=resume, witnessed=kept)) as steps:
            async for step in steps:
                if step.found:
                    return step.found
                tell(step.done, step.total)
    raise Problem(503, "the reading broke off", hint="Type: pratique audit verify --resume")


@app.command()
def trends(
    days: Annotated[float, typer.Option(min=0.01, help="So many days back.")] = 7, json: Json = False
) -> None:
    """Tell how the desk does: kills, time to decide, hasty approvals, who asks most."""
    found = with_client(lambda client: client.trends(days))
    if json:
        print_json(found)
        return
    print_line(f"{found.submissions:,} submissions, {found.runs:,} runs in {days:g} days")
    alert = "  ALERT: more than 2 %" if found.memory_alert else ""
    print_line(f"killed for memory   {found.memory_share:7.1%}{alert}")
    print_line(f"nobody decided      {found.expired_share:7.1%}")
    print_line(f"approved under 3 s  {found.hasty_share:7.1%}")
    for risk, times in found.decision_seconds.items():
        print_line(
            f"decided {risk.value:<9} p50 {times.p50:,.1f} s, p95 {times.p95:,.1f} s, {times.count:,} in all"
        )
    for name, count in found.busiest.items():
        print_line(f"{count:>8,}  {visible(name)}")


@app.command(name="timeline")
def show_timeline(id: Id, json: Json = False) -> None:
    """Tell the way of a submission, step by step, with who took each and how long it took."""
    steps = timeline(with_client(lambda client: client.trail(id)))
    if json:
        print_json(steps)
    else:
        print_steps(steps)


def print_steps(steps: Iterable[Step]) -> None:
    """Print a line for each step of a timeline."""
    for step in steps:
        since = f"+{step.since_start.total_seconds():.3f}"
        took = dim(f"({step.took.total_seconds():.3f} s)")
        print_line(f"{since:>12} s  {step.type:<20} {visible(step.actor):<16} {took}")


@app.command()
def replay(id: Id, speed: Annotated[float, typer.Option(min=0.01, help="2 is twice as fast.")] = 1.0) -> None:
    """Print a run's output again, with the pauses that it had."""

    async def play(client: Client) -> None:
        last = 0.0
        async for chunk in client.output(id):
            await asyncio.sleep(min(max(0.0, chunk.at - last) / speed, LONGEST_PAUSE))
            last = max(last, chunk.at)
            print_output(chunk)
            sys.stdout.flush()
        print_erasures(one for one in await client.erased(id) if one.what == "output")

    with_client(play)


@app.command()
def export(
    what: Annotated[str, typer.Argument(help="A filter, or for a recording the submission.")] = "",
    kind: Annotated[Format, typer.Option("--format", "-f")] = Format.JSONL,
    output: Output = None,
) -> None:
    """Write what a filter finds: events as jsonl or ocsf, submissions as csv; or one run as a cast."""
    if kind is not Format.CAST:
        check(what)
    write(output, with_client(lambda client: exported(client, what, kind)))


@app.command(name="case")
def case_file(id: Id, output: Output = None) -> None:
    """Write the case file of a submission: a zip that proves itself to anybody."""
    try:
        content = read_case_file(locations.database(), id)
    except HistoryError as error:
        raise Problem(404, error.title, hint=error.hint) from None
    if not asyncio.run(_recorded(id)):
        print_line("No engine answers: that this case file is made is not recorded.", error=True)
    path = output or Path(f"{id}.zip")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise Problem(422, f"{visible(str(path))} cannot be written: {error.strerror}") from None
    print_line(f"{visible(str(path))}: {len(content):,} bytes, from the history {locations.database()}")
    print_line("To check it anywhere: unzip it, then python3 verify.py")


async def _recorded(id: str) -> bool:
    """Have the engine of this machine record the case file, and say whether it did; none is started."""
    with contextlib.suppress(Problem, TimeoutError):
        async with asyncio.timeout(RECORD_SECONDS), Client() as client:
            await client.exported(id, "case", 1)
            return True
    return False


def check(filter: str) -> None:
    """Point at what is wrong with a filter.

    Raises:
        Problem: it cannot be understood; its text shows where.
    """
    try:
        parse(filter, datetime.now(UTC))
    except FilterError as error:
        shown = visible(filter[:200])
        pointer = " " * len(visible(filter[: min(error.position, 200)])) + "^"
        raise Problem(422, f"{error.title}\n  {shown}\n  {pointer}\n{error.hint}".rstrip()) from None
