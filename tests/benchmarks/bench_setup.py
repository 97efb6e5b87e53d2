"""Duration of a setup with nothing to do."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

from tests.benchmarks.row import Row, percentiles

CHECKOUT = Path(__file__).resolve().parents[2]
TARGET_SECONDS = 2.0
TIMES = 15


async def rows() -> list[Row]:
    """Measure `make setup` on a machine that is set up, compared with an empty make target."""
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
            p95 < TARGET_SECONDS,
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
