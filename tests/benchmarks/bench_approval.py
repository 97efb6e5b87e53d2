"""From the key that sends an approval to the first byte of output on screen, on a real pty."""

from __future__ import annotations

import asyncio
import time

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Draft, Language
from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.bench_runs import stocked
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles

ROUNDS = 15
SETTLE_SECONDS = 0.8
"""Longer than a sheet has to be on screen before its key counts."""
SEND_NOW = b"\x1b[18~"
"""F7."""


async def rows() -> list[Row]:
    """Measure with a warm sandbox, and the Run screen open, where the output appears."""
    taken, cpu = [], []
    one = '{"python": "python"}'
    async with engine_of(PRATIQUE_SANDBOX__POOL="1", PRATIQUE_SANDBOX__IMAGES=one) as (engine, client):
        with console(engine.home) as review:
            await asyncio.to_thread(review.see, b"Queue is empty")
            for number in range(ROUNDS):
                await stocked(client)
                await _submitted(client, number)
                milliseconds, worked = await asyncio.to_thread(_approve, review, number)
                taken.append(milliseconds)
                cpu.append(worked)
    sent, work = percentiles(taken), percentiles(cpu)
    name = "review: key that sends an approval -> first byte on screen"
    return [
        Row(name, *sent, "ms", None, None, "p50 60 ms", sent[0] <= 60),
        Row(f"{name}, CPU of the console", *work, "ms", None, None, "", None),
    ]


async def _submitted(client: Client, number: int) -> None:
    code = f"import os\nprint('first', 'byte', {number}, sep='_')  # os.environ code{number:03}\n"
    await client.submit(Draft(code=Untrusted(code), language=Language.PYTHON))


def _approve(review: PtyConsole, number: int) -> tuple[float, float]:
    """Approve what waits, go to Run, and send; return the milliseconds, and those of the console's CPU."""
    if number:
        review.press(b"1")
    review.see(f"code{number:03}".encode())
    time.sleep(SETTLE_SECONDS)
    before, _ = review.press(b"\x19")
    review.see(b"confirms", since=before)
    time.sleep(SETTLE_SECONDS)
    before, _ = review.press(b"\x19")
    review.see(b"send now", since=before)
    review.press(b"2")
    time.sleep(SETTLE_SECONDS)
    cpu = review.cpu()
    taken = review.until_painted(SEND_NOW, f"first_byte_{number}".encode())
    worked = (review.cpu() - cpu) * 1000
    time.sleep(SETTLE_SECONDS)
    return taken, worked
