"""Eight hours at the desk in minutes: 10,000 submissions, 2,000 runs, somebody at the keys, and memory.

Console and engine are in their own processes, the console on a pty. Every run is real and in gVisor: one in
ten in a sandbox of its own, the others in sandboxes that stay, which take a tenth of the time. A run comes
after every four submissions that only wait; the oldest of those is withdrawn when more than sixty do.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from itertools import count

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Session, Status
from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row

RUNS = 2_000
WAITING_FOR_EACH = 4
SUBMISSIONS = RUNS * (1 + WAITING_FOR_EACH)
WARM = 0.15
"""The part of it after which memory counts: every place was visited, caches and histories are full."""
FRESH_EVERY = 10
CALLERS = 5
MOST_WAITING = 60
KEY_SECONDS, ESCAPE_SECONDS = 0.12, 0.5
ESCAPE = b"\x1b"
RUN_SECONDS = 60
MOST_MEGABYTES = 20
ROOM = {
    "PRATIQUE_POLICY__SANDBOX_SUBMISSIONS_PER_MINUTE": "1000000",
    "PRATIQUE_POLICY__SANDBOX_SUBMISSIONS_BURST": "1000000",
    "PRATIQUE_SANDBOX__SESSIONS_EACH": str(CALLERS),
    "PRATIQUE_SANDBOX__SESSION_IDLE_SECONDS": "7200",
}
ROUND = (
    *(b"1", b"]", b"n", b"n", b"p", b" ", b"i", b"i", b"w", b"w", b"]", b"-", b"+", b"z", b"z", b"["),
    *(b"2", b"[", b"]", b"f", b"f", b"w", b"w", b"/", b"value", b"\r", b".", b"]", b"o", ESCAPE, b"["),
    *(b"4", b"\r", ESCAPE, b"5", b"?", ESCAPE, b"3", ESCAPE, b"1", b"c", ESCAPE, b"\x0b", ESCAPE),
)
"""What the person presses, again and again: each place, its lists and its sheets."""
WAITS = """import os
import subprocess

def asked_{n}(name):
    return os.environ.get(name, "{n}")

{more}
subprocess.run(["echo", asked_{n}("HOME")])
"""
SAYS = """for line in range({lines}):
    print("value", line * {n})
"""


@dataclass
class Soak:
    """How far it is, and how much memory the console took on the way."""

    client: Client
    pending: deque[str] = field(default_factory=deque)
    numbers: count[int] = field(default_factory=count)
    submissions: int = 0
    runs: int = 0
    samples: list[tuple[float, float]] = field(default_factory=list)
    """The part that was done, and the megabytes."""

    @property
    def done(self) -> float:
        """The part that is done."""
        return self.runs / RUNS

    @property
    def grown(self) -> tuple[float, float]:
        """The megabytes when it was warm, and at the end."""
        warm = [size for part, size in self.samples if WARM <= part < WARM + 0.05]
        last = [size for part, size in self.samples if part > 0.95]
        return statistics.median(warm), statistics.median(last)


async def rows() -> list[Row]:
    """Measure."""
    async with engine_of(**ROOM) as (engine, client):
        with console(engine.home) as submissions:
            await asyncio.to_thread(submissions.see, b"Queue is empty")
            soak, began = Soak(client), time.perf_counter()
            async with asyncio.TaskGroup() as group:
                watching = [
                    group.create_task(_press(submissions, soak)),
                    group.create_task(_sample(submissions, soak)),
                ]
                async with asyncio.TaskGroup() as callers:
                    for _ in range(CALLERS):
                        callers.create_task(_call(soak))
                for task in watching:
                    task.cancel()
    seconds, (warm, last) = time.perf_counter() - began, soak.grown
    grown = last - warm
    sys.stderr.write(f"{soak.submissions:,} submissions, {soak.runs:,} of them ran, in {seconds:.0f} s\n")
    return [
        Row("console: 8 h soak, memory grows", grown, grown, grown, "MB", warm, last / warm,
            f"< {MOST_MEGABYTES} MB", grown < MOST_MEGABYTES),
    ]  # fmt: skip


async def _call(soak: Soak) -> None:
    """Hand in and run until there were enough."""
    sandbox = await soak.client.sessions.create(Language.PYTHON)
    while (number := next(soak.numbers)) < RUNS:
        for more in range(WAITING_FOR_EACH):
            await _wait(soak, number * WAITING_FOR_EACH + more)
        await _run(soak, number, None if number % FRESH_EVERY == 0 else sandbox)


async def _wait(soak: Soak, number: int) -> None:
    code = WAITS.format(n=number, more="\n".join(f"value_{n} = {n}" for n in range(number % 97 * 5)))
    case = await soak.client.submit(Draft(code=Untrusted(code), language=Language.PYTHON))
    soak.submissions += 1
    soak.pending.append(case.submission.id)
    if len(soak.pending) > MOST_WAITING:
        await soak.client.withdraw(soak.pending.popleft())


async def _run(soak: Soak, number: int, session: Session | None) -> None:
    code = SAYS.format(n=number, lines=3000 if number % 100 == 0 else 40)
    draft = Draft(code=Untrusted(code), language=Language.PYTHON, session=session.id if session else "")
    case = await soak.client.submit(draft)
    submission = case.submission
    if case.status is Status.PENDING:
        await soak.client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest, "to measure")
    case = await soak.client.case(submission.id, within=RUN_SECONDS)
    if case.result is None or case.result.exit_code:
        raise RuntimeError(f"{submission.id} did not run: {case.status}, {case.result}")
    soak.submissions += 1
    soak.runs += 1


async def _press(submissions: PtyConsole, soak: Soak) -> None:
    while True:
        for keys in ROUND:
            submissions.press(keys)
            await asyncio.sleep(KEY_SECONDS if keys != ESCAPE else ESCAPE_SECONDS)


async def _sample(submissions: PtyConsole, soak: Soak) -> None:
    while True:
        soak.samples.append((soak.done, submissions.memory() / 1e6))
        await asyncio.sleep(0.5)
