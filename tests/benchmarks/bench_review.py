"""Working through a queue in Review on a real pty: moving in it, and from a decision to the next one."""

from __future__ import annotations

import asyncio
import os
import time

from engine.common.text import Untrusted
from engine.models import Draft, Language
from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

PENDING = int(os.environ.get("PRATIQUE_BENCH_PENDING", "1000"))
MOVES, DECISIONS = 100, 30
SETTLE_SECONDS = 0.3


async def rows() -> list[Row]:
    """Run all measurements."""
    settings = {"PRATIQUE_SERVER__MAX_PENDING_EACH": "2000", "PRATIQUE_SERVER__MAX_PENDING": "2000"}
    async with engine_of(**settings) as (engine, client):
        for number in range(PENDING):
            await client.submit(_waits(number))
        listed = [each.summary.first_line.text for each in await client.reviews.queue()]
        return await asyncio.to_thread(_worked, engine, [line.split()[0].encode() for line in listed])


def _worked(engine: EngineProcess, words: list[bytes]) -> list[Row]:
    """Go down the queue, then deny one after the other; each is on screen once its second line is."""
    at = 0
    with console(engine.home) as review:
        review.see(_second(words[0]))
        time.sleep(1.5)
        moves, cpu = [], []
        for _ in range(MOVES):
            at += 1
            before = review.cpu()
            moves.append(review.until_painted(b"]", _second(words[at])))
            cpu.append((review.cpu() - before) * 1000)
            time.sleep(SETTLE_SECONDS / 2)
        decided, deciding = [], []
        for _ in range(DECISIONS):
            at += 1
            taken, busy = _deny(review, _second(words[at]))
            decided.append(taken)
            deciding.append(busy)
    moved, worked, next_one = percentiles(moves), percentiles(cpu), percentiles(decided)
    name = f"review: queue of {len(words):,}"
    return [
        Row(f"{name}, move, CPU", *worked, "ms", None, None, "p95 < 33 ms", worked[1] < 33),
        Row(f"{name}, move to code on screen", *moved, "ms", None, None, "p95 < 100 ms", moved[1] < 100),
        Row(f"{name}, decide to next", *next_one, "ms", None, None, "p95 < 100 ms", next_one[1] < 100),
        Row(f"{name}, decide to next, CPU", *percentiles(deciding), "ms", None, None, "", None),
    ]


def _deny(review: PtyConsole, following: bytes) -> tuple[float, float]:
    """Deny what is on screen; return the milliseconds from the last key to the next one, and those of CPU."""
    before, _ = review.press(b"d")
    review.see(b"sent to the agent", since=before)
    time.sleep(SETTLE_SECONDS)
    review.press(b"x")
    time.sleep(SETTLE_SECONDS)
    before_cpu = review.cpu()
    taken = review.until_painted(b"\r", following)
    worked = (review.cpu() - before_cpu) * 1000
    time.sleep(SETTLE_SECONDS)
    return taken, worked


def _second(first: bytes) -> bytes:
    """Return the word on the second line of a submission, which only the code view shows."""
    return first.replace(b"first", b"second")


def _waits(number: int) -> Draft:
    code = f"first{number:05} = 1\nsecond{number:05} = 2\nimport os\nprint(os.environ, first{number:05})\n"
    return Draft(code=Untrusted(code), language=Language.PYTHON)
