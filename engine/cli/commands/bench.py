"""`pratique bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import typer

from engine.common.errors import Problem


def bench() -> None:
    """Run all benchmarks, print a table and write bench.json to the current directory."""
    source = Path(__file__).resolve().parents[3]
    if not (source / "tests" / "benchmarks" / "__main__.py").exists():
        raise Problem(
            404,
            "benchmarks are part of the source, not of the package",
            hint="Type in a checkout: make bench",
        )
    target = str(Path.cwd() / "bench.json")
    done = subprocess.run([sys.executable, "-m", "tests.benchmarks", target], cwd=source, check=False)
    raise typer.Exit(done.returncode)
