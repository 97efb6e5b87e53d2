"""Explore on a real pty over a real engine: from the key that runs code to its output, and typing."""

from __future__ import annotations

import asyncio
import itertools
import time

from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import BASE, EngineProcess

ROUNDS = 20
WARM_ROUNDS = 3
KEYS = 60
PAUSES = 8
SETTLE_SECONDS = 1.0
LINES = 5000
PRINTS = {
    "Python": ('print("zq" + "{}")', 60),
    "JavaScript": ('const made = "zq" + "{}";\nconsole.log(made)', 80),
    "shell": ('#!/bin/sh\necho zq""{}', 60),
}
"""A program in each language that prints what it does not contain, and the milliseconds asked for."""
CELL_MS = 60
LATEST_MS = 150
FRAME_MS, ANALYSED_MS = 33, 300
RUN, CLOSE_TAB, SESSION, RUN_CELL, LEAVE = b"\x12", b"\x1bOS", b"\x02", b"\x1b[15~", b"\x1b"
NUMBERS = itertools.count(1000)


async def rows() -> list[Row]:
    """Run all measurements."""
    async with engine_of(**{BASE: "standard"}) as (engine, _):
        return await asyncio.to_thread(_measured, engine)


def _measured(engine: EngineProcess) -> list[Row]:
    with console(engine.home) as explore:
        explore.see(b"Queue is empty")
        explore.until_painted(b"3", b"No code yet")
        time.sleep(SETTLE_SECONDS)
        measured = list[Row]()
        for name, (program, asked) in PRINTS.items():
            measured += _runs(f"explore: ctrl+r to output, {name}", explore, program, RUN, asked)
        _paste(explore, PRINTS["Python"][0].format("begin"))
        explore.until_painted(SESSION, b"session")
        time.sleep(SETTLE_SECONDS)
        name = "explore: ctrl+r to output, Python in a session"
        measured += _runs(name, explore, PRINTS["Python"][0], RUN, CELL_MS)
        measured += _runs("explore: F5 to output, a cell", explore, PRINTS["Python"][0], RUN_CELL, CELL_MS)
        explore.press(SESSION)
        return measured + _typing(explore)


# --- running ------------------------------------------------------------------------------------------------


def _runs(name: str, explore: PtyConsole, program: str, key: bytes, asked: float) -> list[Row]:
    """Run a program again and again; return the row of wall time, and that of the console's CPU time."""
    wall, cpu = list[float](), list[float]()
    for number in range(WARM_ROUNDS + ROUNDS):
        taken, worked = _run_once(explore, program, key)
        if number >= WARM_ROUNDS:
            wall.append(taken)
            cpu.append(worked)
    p50, p95, p99 = percentiles(wall)
    passed = p50 <= asked and p95 <= LATEST_MS
    target = f"p50 <= {asked}, p95 <= {LATEST_MS} ms"
    return [
        Row(name, p50, p95, p99, "ms", None, None, target, passed),
        Row(f"{name}, CPU of the console", *percentiles(cpu), "ms", None, None, "", None),
    ]


def _run_once(explore: PtyConsole, program: str, key: bytes) -> tuple[float, float]:
    word = str(next(NUMBERS))
    _paste(explore, program.format(word))
    time.sleep(SETTLE_SECONDS)
    before = explore.cpu()
    taken = explore.until_painted(key, f"zq{word}".encode())
    worked = (explore.cpu() - before) * 1000
    time.sleep(SETTLE_SECONDS / 2)
    if key == RUN_CELL:
        explore.press(LEAVE)
        time.sleep(SETTLE_SECONDS / 2)
    return taken, worked


def _paste(explore: PtyConsole, text: str) -> None:
    """Put a text in place of what is in the editor."""
    explore.press(CLOSE_TAB)
    time.sleep(SETTLE_SECONDS / 4)
    explore.press(b"\x1b[200~" + text.encode() + b"\x1b[201~")


# --- typing -------------------------------------------------------------------------------------------------


def _typing(explore: PtyConsole) -> list[Row]:
    """Type in the last of many lines, key by key, with the analysis on."""
    text = "\n".join(f"value_{number} = {number} * 2  # line" for number in range(LINES - 1))
    _paste(explore, f"{text}\nzk")
    time.sleep(8 * SETTLE_SECONDS)
    wall, cpu = _typed(explore)
    pause = [_violation_shown(explore) for _ in range(PAUSES)]
    shown, worked, analysed = percentiles(wall), percentiles(cpu), percentiles(pause)
    name = f"explore: typing in {LINES:,} lines"
    return [
        Row(f"{name}, key to screen", *shown, "ms", None, None, f"p95 <= {FRAME_MS} ms",
            shown[1] <= FRAME_MS),
        Row(f"{name}, CPU for each key", *worked, "ms", None, None, "", None),
        Row(f"{name}, pause to analysis", *analysed, "ms", None, None, f"p50 <= {ANALYSED_MS} ms",
            analysed[0] <= ANALYSED_MS),
    ]  # fmt: skip


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


def _violation_shown(explore: PtyConsole) -> float:
    """Type a line that violates a rule; return the milliseconds from its last key until that is said."""
    word = str(next(NUMBERS))
    explore.press(b"\r" + f"eval(x{word}".encode())
    time.sleep(3 * SETTLE_SECONDS)
    return explore.until_painted(b")", b"ynamic")
