"""Explore on a real pty over a real engine: from the key that runs code to its output.

`PRATIQUE_BENCH_PARTS` chooses some of Python, JavaScript, shell, session and cell.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import time

from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.bench_runs import stocked
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles, told
from tests.engine_process import BASE, EngineProcess

ROUNDS = int(os.environ.get("PRATIQUE_BENCH_ROUNDS", "20"))
WARM_ROUNDS = 3
SETTLE_SECONDS = 1.0
PRINTS = {
    "Python": ('print("zq" + "{}")', 60),
    "JavaScript": ('const made = "zq" + "{}";\nconsole.log(made)', 80),
    "shell": ('#!/bin/sh\necho zq""{}', 60),
}
"""A program in each language that prints what it does not contain, and the milliseconds asked for."""
CELL_MS = 60
LATEST_MS = 150
RUN, CLOSE_TAB, SESSION, RUN_CELL, LEAVE = b"\x12", b"\x1bOS", b"\x02", b"\x1b[15~", b"\x1b"
IN_SESSION = (
    ("session", RUN, "explore: ctrl+r to output, Python in a session"),
    ("cell", RUN_CELL, "explore: F5 to output, a cell"),
)
PARTS = set(os.environ.get("PRATIQUE_BENCH_PARTS", "Python JavaScript shell session cell").split())
NUMBERS = itertools.count(1000)


async def rows() -> list[Row]:
    """Run the measurements that are chosen, once a sandbox of each image waits ready."""
    async with engine_of(**{BASE: "standard"}) as (engine, client):
        await stocked(client)
        return await asyncio.to_thread(_measured, engine)


def _measured(engine: EngineProcess) -> list[Row]:
    with console(engine.home) as explore:
        explore.see(b"Queue is empty")
        explore.until_painted(b"3", b"No code yet")
        time.sleep(SETTLE_SECONDS)
        measured = list[Row]()
        for name, (program, asked) in PRINTS.items():
            if name in PARTS:
                measured += _runs(f"explore: ctrl+r to output, {name}", explore, program, RUN, asked)
        if {"session", "cell"} & PARTS:
            paste(explore, PRINTS["Python"][0].format("begin"))
            explore.until_painted(SESSION, b"session")
            time.sleep(SETTLE_SECONDS)
        for part, key, name in IN_SESSION:
            if part in PARTS:
                measured += _runs(name, explore, PRINTS["Python"][0], key, CELL_MS)
        return measured


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
    return told(
        Row(name, p50, p95, p99, "ms", None, None, target, passed),
        Row(f"{name}, CPU of the console", *percentiles(cpu), "ms", None, None, "", None),
    )


def _run_once(explore: PtyConsole, program: str, key: bytes) -> tuple[float, float]:
    word = str(next(NUMBERS))
    paste(explore, program.format(word))
    time.sleep(SETTLE_SECONDS)
    before = explore.cpu()
    taken = explore.until_painted(key, f"zq{word}".encode())
    worked = (explore.cpu() - before) * 1000
    time.sleep(SETTLE_SECONDS / 2)
    if key == RUN_CELL:
        explore.press(LEAVE)
        time.sleep(SETTLE_SECONDS / 2)
    return taken, worked


def paste(explore: PtyConsole, text: str) -> None:
    """Put a text in place of what is in the editor."""
    explore.press(CLOSE_TAB)
    time.sleep(SETTLE_SECONDS / 4)
    explore.press(b"\x1b[200~" + text.encode() + b"\x1b[201~")
