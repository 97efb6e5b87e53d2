"""`pratique dev seed-history`: development tools."""

from __future__ import annotations

from typing import Annotated

import typer

from engine import locations
from engine.cli.output.formatting import print_line
from engine.cli.output.progress import progress_bar
from engine.common.errors import Problem
from engine.history.devtools.seed import seed_history
from engine.history.errors import HistoryError

app = typer.Typer(help="Tools for developing Pratique.")


@app.callback()
def dev() -> None:
    """Tools for developing Pratique."""


@app.command(name="seed-history")
def seed(
    runs: Annotated[int, typer.Option(min=1, help="Number of runs.")] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed generates the same history.")] = 1,
) -> None:
    """Generate a test history; refuse if the history already contains events."""
    where = locations.database()
    try:
        with progress_bar("runs") as report_progress:
            events = seed_history(where, runs, seed, report_progress)
    except HistoryError as error:
        raise Problem(409, error.title, hint=error.hint) from None
    print_line(f"{where}: {runs:,} runs, {events:,} events generated")
