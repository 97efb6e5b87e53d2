"""Seconds from a fault until the console shows it: a row of Health is red, or all of it is grey.

Mounting a disk takes root; without it that fault is left out. `PRATIQUE_BENCH_ROUNDS` says how often each
happens.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from engine.client.client import Client
from tests.benchmarks.health_faults import FAULTS, Fault, Ground, end
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

MOST_SECONDS = 5.0
PATIENT = 60.0
LOOK_SECONDS = 0.02


async def rows() -> list[Row]:
    """Measure."""
    rounds = int(os.environ.get("PRATIQUE_BENCH_ROUNDS", "2"))
    everything: list[float] = []
    found: list[Row] = []
    for fault in FAULTS:
        try:
            took = [await _struck(fault, number) for number in range(rounds)]
        except subprocess.CalledProcessError as error:
            sys.stderr.write(f"left out: {fault.words}: {error}\n")
            continue
        everything += took
        found.append(_row(f"Health is red, {fault.words}", took))
    return [*found, _row(f"Health is red, {len(found)} faults", everything)]


def _row(name: str, took: list[float]) -> Row:
    p50, p95, p99 = percentiles(took)
    return Row(name, p50, p95, p99, "s", None, None, f"p95 < {MOST_SECONDS:g} s", p95 < MOST_SECONDS)


async def _struck(fault: Fault, number: int) -> float:
    """Return after how many seconds a fault is shown."""
    with tempfile.TemporaryDirectory() as folder:
        ground = Ground(Path(folder))
        ground.home.mkdir()
        async with fault.prepare(ground), _running(ground) as process, _console(process) as app:
            rows = frozenset(row.format(folder=folder) for row in fault.rows)
            await _until(lambda: _is_well(app, rows), PATIENT)
            await asyncio.sleep(number * 0.37 % 1)
            began = time.monotonic()
            await asyncio.to_thread(fault.strike, ground, process)
            await _until(lambda: _is_shown(app, rows), PATIENT)
            return time.monotonic() - began


@contextlib.asynccontextmanager
async def _running(ground: Ground) -> AsyncIterator[EngineProcess]:
    process = ground.engine()
    await asyncio.to_thread(process.start)
    try:
        yield process
    finally:
        await end(process)


@contextlib.asynccontextmanager
async def _console(process: EngineProcess) -> AsyncIterator[ConsoleApp]:
    """Run a console that is connected."""

    async def connect() -> Client:
        return process.client()

    app = ConsoleApp(connect, Preferences())
    async with app.run_test(size=(120, 36)):
        yield app


def _is_well(app: ConsoleApp, rows: frozenset[str]) -> bool:
    """Return whether Health is known, and green in these rows where they are there."""
    health = app.health
    if not app.connection.knows_health or health is None or not health.checks:
        return False
    return all(check.ok for check in health.checks if check.name in rows)


def _is_shown(app: ConsoleApp, rows: frozenset[str]) -> bool:
    """Return whether one of these rows is red; without any, whether Health is grey."""
    if not rows:
        return not app.connection.knows_health
    checks = app.health.checks if app.health else ()
    return any(check.name in rows and not check.ok for check in checks)


async def _until(holds: Callable[[], bool], seconds: float) -> None:
    """Wait until something holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not holds():
            await asyncio.sleep(LOOK_SECONDS)
