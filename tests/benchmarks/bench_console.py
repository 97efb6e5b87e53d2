"""The console: first paint in a real pty beside a blank Textual app; large code, and a flood of output."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
import time

from console.main import settle_memory
from console.screens.run import RunScreen
from console.widgets.code_view import CodeView
from console.widgets.output_log import OutputLog
from engine.models import Level, OutputChunk
from tests.benchmarks.row import Row, percentiles
from tests.console.desk import desk, until
from tests.console.stand_in import StandIn, case, chunk, span, violation

ROUNDS = 7
GIVE_UP_SECONDS = 20.0
WORD = b"Opening"
BLANK = """
from textual.app import App
from textual.widgets import Static
class Blank(App):
    def compose(self):
        yield Static("Opening")
Blank().run()
"""
CONSOLE = """
import asyncio
from console.app import ConsoleApp
async def never():
    await asyncio.Event().wait()
ConsoleApp(never).run()
"""
LINES = "\n".join(f"value_{number} = compute({number}, 'text')  # line" for number in range(5000))
FOUND = tuple(violation(span(number * 12 + 1, 1, 8), level=Level.HIGH) for number in range(400))


async def rows() -> list[Row]:
    """Measure everything once."""
    return [await asyncio.to_thread(_first_paint), *await _large_code(), await _flood()]


def _first_paint() -> Row:
    blank, ours = [], []
    for _ in range(ROUNDS):
        blank.append(_painted(BLANK))
        ours.append(_painted(CONSOLE))
    raw = percentiles(blank)[0]
    p50, p95, p99 = percentiles(ours)
    return Row(
        "console: first paint", p50, p95, p99, "ms", raw, raw / p50, "<= 1.7 x a blank app", p50 <= 1.7 * raw
    )


def _painted(program: str) -> float:
    """Return the milliseconds from the start of a process to its word on a terminal."""
    front, back = pty.openpty()
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", program], stdin=back, stdout=back, stderr=back,
                               env={**os.environ, "TERM": "xterm-256color"})  # fmt: skip
    os.close(back)
    seen = b""
    try:
        while WORD not in seen:
            seen += os.read(front, 65536)
            if time.perf_counter() - start > GIVE_UP_SECONDS:
                raise TimeoutError(f"nothing was painted within {GIVE_UP_SECONDS:g} s")
        return (time.perf_counter() - start) * 1000
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        os.close(front)


async def _large_code() -> list[Row]:
    shown = []
    large = case("s-large", LINES, violations=FOUND)
    async with desk(StandIn(case("s-small", "print(1)")), (140, 40)) as (app, pilot):
        settle_memory()
        view = app.screen.query_one(CodeView)
        draft = large.submission.draft
        for _ in range(ROUNDS):
            view.show(draft.code.__class__(""), draft.language, ())
            await pilot.pause()
            start = time.perf_counter()
            view.show(draft.code, draft.language, FOUND)
            await _painted_by(view)
            shown.append((time.perf_counter() - start) * 1000)
            await pilot.pause(0.1)
            await app.workers.wait_for_complete([each for each in app.workers if each.group == "colour"])
        jumps = [await _cpu(view, index * 3) for index in range(100)]
    paint, jump = percentiles(shown), percentiles(jumps)
    return [
        Row(
            "console: open 5,000 lines, 400 violations", *paint, "ms", None, None, "< 250 ms", paint[1] < 250
        ),
        Row("console: jump to a violation, CPU", *jump, "ms", None, None, "p95 < 20 ms", jump[1] < 20),
    ]


async def _painted_by(view: CodeView) -> None:
    done = asyncio.Event()
    view.call_after_refresh(done.set)
    await done.wait()


async def _cpu(view: CodeView, index: int) -> float:
    """Return the milliseconds of CPU from a jump to its frame."""
    start = time.process_time()
    view.current = index
    await _painted_by(view)
    return (time.process_time() - start) * 1000


async def _flood() -> Row:
    """Draw 100,000 lines a second for a while, in 50 chunks; say what part of a core that takes."""
    text = "".join(f"{number:>7} the guest writes a line of about a hundred characters, again and again and "
                   "again and again\n" for number in range(2000))  # fmt: skip
    async with desk(StandIn(), (140, 40)) as (app, pilot):
        await app.switch_mode("run")
        await until(pilot, lambda: isinstance(app.screen, RunScreen))
        log = app.screen.query_one(OutputLog)
        shares = [await _second(log, chunk(text)) for _ in range(5)]
    p50, p95, p99 = percentiles(shares)
    return Row(
        "console: 100,000 lines/s of output, CPU", p50, p95, p99, "% of a core", None, None, "< 50", p95 < 50
    )


async def _second(log: OutputLog, piece: OutputChunk) -> float:
    clock = asyncio.get_running_loop().time
    cpu, start = time.process_time(), clock()
    for number in range(50):
        log.add(piece)
        await asyncio.sleep(max(0.0, start + (number + 1) / 50 - clock()))
    return (time.process_time() - cpu) / (clock() - start) * 100
