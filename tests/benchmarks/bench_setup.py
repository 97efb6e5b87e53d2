"""How long the set-up takes where nothing is left to do: the first part of every start."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from tests.benchmarks.row import Row, percentiles

CHECKOUT = Path(__file__).resolve().parents[2]
ASKED_SECONDS = 2.0
TIMES = 15


async def rows() -> list[Row]:
    """Measure `make setup` on a machine that is set up, beside the least that `make` does."""
    await _seconds("setup")
    taken = [await _seconds("setup") for _ in range(TIMES)]
    least, *_ = percentiles([await _seconds("help") for _ in range(TIMES)])
    p50, p95, p99 = percentiles(taken)
    return [
        Row(
            "make setup, nothing to do",
            p50,
            p95,
            p99,
            "s",
            least,
            least / p50,
            "< 2 s, console included",
            p95 < ASKED_SECONDS,
        )
    ]


async def _seconds(target: str) -> float:
    began = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        "make",
        "--silent",
        target,
        cwd=CHECKOUT,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
    )
    if await process.wait():
        raise RuntimeError(f"make {target} failed")
    return time.perf_counter() - began
