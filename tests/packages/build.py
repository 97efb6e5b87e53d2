"""Builds distributions: the same bytes whenever and wherever the same sources are built."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.packages.light_client import ROOT, write_sources

EPOCH = "1577836800"
"""The time of every file in a distribution: 2020-01-01."""


def build_application(folder: Path) -> tuple[Path, ...]:
    """Build the application's wheel and sdist into a folder, and return their paths."""
    return _build(ROOT, folder)


def build_light_client(folder: Path) -> tuple[Path, ...]:
    """Build the light client's wheel and sdist into a folder, and return their paths."""
    with tempfile.TemporaryDirectory(prefix="pratique-client-") as sources:
        write_sources(Path(sources))
        return _build(Path(sources), folder)


def _build(project: Path, folder: Path) -> tuple[Path, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", fresh, str(project)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{project} was not built:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return tuple(sorted(each.rename(folder / each.name) for each in Path(fresh).iterdir()))
