"""`pratique bench`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from engine.common.errors import Problem


def bench(
    names: Annotated[
        list[str] | None, typer.Argument(help="Benchmarks such as questions; default: all.")
    ] = None,
    runs: Annotated[int, typer.Option(min=100, help="Runs in the histories that are searched.")] = 5000,
) -> None:
    """Run benchmarks, print a table and write bench.json to the current directory."""
    source = Path(__file__).resolve().parents[3]
    if not (source / "tests" / "benchmarks" / "__main__.py").exists():
        raise Problem(
            404,
            "benchmarks are part of the source, not of the package",
            hint="Type in a checkout: make bench",
        )
    command = [sys.executable, "-m", "tests.benchmarks", str(Path.cwd() / "bench.json"), *(names or ())]
    done = subprocess.run(
        command, cwd=source, check=False, env={**os.environ, "PRATIQUE_BENCH_RUNS": str(runs)}
    )
    raise typer.Exit(done.returncode)
