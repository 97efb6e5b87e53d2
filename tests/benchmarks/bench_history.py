"""The History screen on a long history: opened on a real pty, and page down held for ten seconds.

`PRATIQUE_BENCH_RUNS` says how many runs are seeded; the numbers that were asked for are at 1,000,000.
`PRATIQUE_BENCH_HISTORY` names a seeded history that is there already.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from engine.history.devtools.seed import seed_history
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import POOL, EngineProcess

FEW, RUNS = 1000, 20_000
HELD_SECONDS, REPEATS_A_SECOND = 10.0, 30
"""How long a key is held, and how often a terminal repeats it."""
OPENINGS = 9
SETTLE_SECONDS = 2.0
PAGE_DOWN = b"\x1b[6~"
FRAMES = """
import time
from textual.app import App
from textual.screen import Screen
from console.main import main
from console.history.table import HistoryTable
told = open("TOLD", "w", buffering=1)
update, display, began = Screen._on_timer_update, App._display, [0.0, 0.0]
def timed(self):
    began[:] = time.perf_counter(), time.thread_time()
    update(self)
def painted(self, screen, renderable):
    display(self, screen, renderable)
    now, cpu = time.perf_counter(), time.thread_time()
    table = next(iter(screen.query(HistoryTable)), None)
    if table is not None and renderable is not None:
        seen = 0 <= table.cursor - table.scroll_offset.y < table.size.height and table.chosen is not None
        print(now, now - began[0], cpu - began[1], table.cursor, int(seen), file=told)
Screen._on_timer_update, App._display = timed, painted
main()
"""


class Frame(NamedTuple):
    """One painting of the screen."""

    at: float
    took: float
    cpu: float
    cursor: int
    seen: bool
    """Whether the row under the cursor was on it."""


async def rows() -> list[Row]:
    """Measure."""
    return await asyncio.to_thread(_rows)


def _rows() -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="pratique-") as folder:
        named = os.environ.get("PRATIQUE_BENCH_HISTORY")
        large = Path(named).parent if named else Path(folder) / "large"
        if not named:
            seed_history(large / "pratique.db", int(os.environ.get("PRATIQUE_BENCH_RUNS", RUNS)), seed=1)
        small = Path(folder) / "small"
        seed_history(small / "pratique.db", FEW, seed=1)
        few = _opened(small)
        return [*_opening(few, _opened(large)), *_held(large)]


# --- opened ------------------------------------------------------------------------------------------------


def _opened(home: Path) -> tuple[list[float], int]:
    """Return the milliseconds from the key to the first page, and the bytes of memory it then takes."""
    with _submissions(home) as submissions:
        took = []
        for _ in range(OPENINGS):
            took.append(submissions.until_painted(b"4", b"outcome"))
            time.sleep(0.3)
            submissions.press(b"1")
            time.sleep(0.3)
        submissions.until_painted(b"4", b"outcome")
        for _ in range(OPENINGS * REPEATS_A_SECOND):
            submissions.press(PAGE_DOWN)
            time.sleep(1 / REPEATS_A_SECOND)
        return took, submissions.memory()


def _opening(few: tuple[list[float], int], many: tuple[list[float], int]) -> list[Row]:
    raw, (p50, p95, p99) = percentiles(few[0]), percentiles(many[0])
    grown = (many[1] - few[1]) / 1e6
    return [
        Row("history: key to first page", p50, p95, p99, "ms", raw[0], raw[0] / p50,
            "within 100 ms of 1,000 runs", p50 <= raw[0] + 100),
        Row("history: console's memory beyond that on 1,000 runs", grown, grown, grown, "MB", None, None,
            "< 50 MB", grown < 50),
    ]  # fmt: skip


# --- held --------------------------------------------------------------------------------------------------


def _held(home: Path) -> list[Row]:
    told = home / "frames"
    with _submissions(home, FRAMES.replace("TOLD", str(told))) as submissions:
        submissions.until_painted(b"4", b"outcome")
        begin, step = _step(submissions, told)
        cpu, pressed = submissions.cpu(), list[float]()
        start = time.perf_counter()
        while (due := start + len(pressed) / REPEATS_A_SECOND) < start + HELD_SECONDS:
            time.sleep(max(0.0, due - time.perf_counter()))
            pressed.append(submissions.press(PAGE_DOWN)[1])
        share = (submissions.cpu() - cpu) / HELD_SECONDS
        time.sleep(SETTLE_SECONDS)
    frames = [frame for frame in _frames(told) if frame.at > start]
    told.unlink()
    aims = {begin + step * (number + 1): moment for number, moment in enumerate(pressed)}
    return _of_frames(aims, frames, share)


def _step(submissions: PtyConsole, told: Path) -> tuple[int, int]:
    """Return where the cursor is after two presses, and how far the second one moved it."""
    places = []
    for _ in range(2):
        time.sleep(SETTLE_SECONDS)
        submissions.press(PAGE_DOWN)
        time.sleep(SETTLE_SECONDS)
        places.append(_frames(told)[-1].cursor)
    return places[1], places[1] - places[0]


def _of_frames(aims: dict[int, float], frames: list[Frame], share: float) -> list[Row]:
    """Judge frames by the places that the keys aimed at, and when each was pressed."""
    places = {frame.cursor for frame in frames if frame.seen}
    waits = [_reached(aim, frames) - moment for aim, moment in aims.items()]
    took = percentiles([frame.took * 1e3 for frame in frames])
    cpu = percentiles([frame.cpu * 1e3 for frame in frames])
    wait = percentiles([seconds * 1e3 for seconds in waits])
    painted = 100 * len(places & aims.keys()) / len(aims)
    return [
        Row("history: page down held, frame", *took, "ms", None, None, "p95 < 33 ms", took[1] < 33),
        Row("history: page down held, frame, CPU", *cpu, "ms", None, None, "", None),
        Row("history: page down held, key to its frame", *wait, "ms", None, None, "", None),
        Row("history: page down held, CPU of the console", *(100 * share,) * 3, "% of a core", None, None, "",
            None),
        Row("history: page down held, keys with a frame of their own", *(painted,) * 3, "%", None, None,
            "every frame", painted == 100),
    ]  # fmt: skip


def _reached(place: int, frames: list[Frame]) -> float:
    """Return the moment from which on a place, or one below it, was on screen."""
    return next((frame.at for frame in frames if frame.seen and frame.cursor >= place), float("inf"))


def _frames(told: Path) -> list[Frame]:
    lines = (line.split() for line in told.read_text().splitlines())
    return [Frame(float(a), float(b), float(c), int(d), e == "1") for a, b, c, d, e in lines]


@contextmanager
def _submissions(home: Path, program: str = "from console.main import main; main()") -> Iterator[PtyConsole]:
    engine = EngineProcess(home, **{POOL: "1"})
    engine.start()
    try:
        with console(home, program) as submissions:
            submissions.see(b"Queue is empty")
            time.sleep(SETTLE_SECONDS)
            yield submissions
    finally:
        engine.end()
