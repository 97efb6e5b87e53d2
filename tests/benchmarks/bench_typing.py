"""Typing in Explore on a real pty over a real engine: keys, the analysis after a pause, and names."""

from __future__ import annotations

import asyncio
import itertools
import time

from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.bench_explore import paste
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles, told
from tests.engine_process import BASE, EngineProcess

KEYS = 60
PAUSES = 8
LISTS = 20
LINES = 5000
FRAME_MS, ANALYSED_MS, LISTED_MS = 33, 300, 100
ANALYSED_SECONDS = 3.0
"""The analysis of an unfinished line is over after this time."""
NAMES_SECONDS = 20.0
"""The first time, a sandbox says which names its image has."""
NUMBERS = itertools.count(1000)
NAME = f"explore: typing in {LINES:,} lines"


async def rows() -> list[Row]:
    """Run all measurements."""
    async with engine_of(**{BASE: "standard"}) as (engine, _):
        return await asyncio.to_thread(_measured, engine)


def _measured(engine: EngineProcess) -> list[Row]:
    with console(engine.home) as explore:
        explore.see(b"Queue is empty")
        explore.until_painted(b"3", b"No code yet")
        paste(explore, "import json\n")
        time.sleep(NAMES_SECONDS)
        return [*_lists(explore), *_typing(explore)]


def _lists(explore: PtyConsole) -> list[Row]:
    """Type the dot behind a module, and wait for its names."""
    shown = [_listed(explore) for _ in range(LISTS)]
    p50, p95, p99 = percentiles(shown)
    name, target = "explore: key to the list of names", f"p95 <= {LISTED_MS} ms"
    return told(Row(name, p50, p95, p99, "ms", None, None, target, p95 <= LISTED_MS))


def _listed(explore: PtyConsole) -> float:
    explore.press(b"\rjson")
    time.sleep(0.5)
    taken = explore.until_painted(b".", b"JSONDecodeError")
    explore.press(b"dumps")
    time.sleep(0.5)
    return taken


def _typing(explore: PtyConsole) -> list[Row]:
    """Type in the last of many lines, key by key, with the analysis on."""
    text = "\n".join(f"value_{number} = {number} * 2  # line" for number in range(LINES - 1))
    paste(explore, f"{text}\nzk")
    time.sleep(8)
    wall, cpu = _typed(explore)
    p50, p95, p99 = percentiles(wall)
    rows = told(
        Row(f"{NAME}, key to screen", p50, p95, p99, "ms", None, None, f"p95 <= {FRAME_MS} ms",
            p95 <= FRAME_MS),
        Row(f"{NAME}, CPU for each key", *percentiles(cpu), "ms", None, None, "", None),
    )  # fmt: skip
    return rows + _analysed(explore)


def _typed(explore: PtyConsole) -> tuple[list[float], list[float]]:
    """Type a word; return the milliseconds until each key is painted, and the CPU time of each."""
    wall, cpu, word = list[float](), list[float](), b"zk"
    for number in range(KEYS):
        letter = b"bcdfghj"[number % 7 :][:1]
        word = (word + letter)[-24:]
        before = explore.cpu()
        wall.append(explore.until_painted(letter, word))
        time.sleep(0.2)
        cpu.append((explore.cpu() - before) * 1000)
    return wall, cpu


def _analysed(explore: PtyConsole) -> list[Row]:
    """Finish lines that violate a rule, and wait until that is said."""
    p50, p95, p99 = percentiles([_violation_shown(explore) for _ in range(PAUSES)])
    target = f"p50 <= {ANALYSED_MS} ms"
    return told(
        Row(f"{NAME}, pause to analysis", p50, p95, p99, "ms", None, None, target, p50 <= ANALYSED_MS)
    )


def _violation_shown(explore: PtyConsole) -> float:
    """Type a line that violates a rule; return the milliseconds from its last key until that is said."""
    word = str(next(NUMBERS))
    explore.press(b"\r" + f"eval(x{word}".encode())
    time.sleep(ANALYSED_SECONDS)
    return explore.until_painted(b")", b"runs text")
