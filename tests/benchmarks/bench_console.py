"""The console on a real pty, in its own process: first paint, jumps, output floods, queue changes."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, Limits, Permissions, Status
from tests.benchmarks.pty_console import PtyConsole, console
from tests.benchmarks.row import Row, percentiles
from tests.engine_process import EngineProcess

ROUNDS = 7
JUMPS = 60
SETTLE_SECONDS = 1.5
PATIENCE_SECONDS = 300
MARKS = (b"zzlarge", b"zzsmall")
BLANK = """
from textual.app import App
from textual.widgets import Static
class Blank(App):
    def compose(self):
        yield Static("Loading")
Blank().run()
"""
CONSOLE = """
import asyncio
from console.app.app import ConsoleApp
async def never():
    await asyncio.Event().wait()
ConsoleApp(never).run()
"""
FRAMES = """
import sys, time
from textual.screen import Screen
from console.main import main
told = open("TOLD", "w", buffering=1)
update = Screen._on_timer_update
def timed(self):
    current = self.is_current
    start, cpu = time.perf_counter(), time.process_time()
    update(self)
    took = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
    if current:
        print(*took, file=told)
Screen._on_timer_update = timed
main()
"""
SMALL = "import os\nzzsmall = os.environ\n"
LARGE = "import os\nzzlarge = 1\n" + "\n".join(
    f"eval(value_{n})" if n % 12 == 0 else f"value_{n} = 'text'  # {n}" for n in range(4998)
)
FLOOD = """import sys, time
block = "".join(f"{number:>6} the guest writes a line of about sixty characters\\n" for number in range(2000))
begun = time.time()
for tick in range(500):
    sys.stdout.write(block)
    sys.stdout.flush()
    time.sleep(max(0.0, begun + (tick + 1) / 50 - time.time()))
"""
LINES = 1_000_000
FLOOD_BYTES = LINES * len("999999 the guest writes a line of about sixty characters\n")
LASTING = "import time\nfor second in range(600):\n    print(second, flush=True)\n    time.sleep(1)\n"
PENDING, RUNNING, UPDATES = 200, 20, 40
ROOM = {
    "PRATIQUE_POLICY__DEADLINES": '{"medium": 3600, "high": 3600, "critical": 3600}',
    "PRATIQUE_POLICY__SUBMISSIONS_PER_MINUTE": "1000000",
    "PRATIQUE_POLICY__SUBMISSIONS_BURST": "1000000",
    "PRATIQUE_SANDBOX__CONCURRENT": str(RUNNING),
}


async def rows() -> AsyncIterator[Row]:
    """Run all measurements."""
    yield await asyncio.to_thread(_first_paint)
    for measure in (_large_code, _flood, _queue):
        async with engine_of() as (engine, client):
            for row in await measure(engine, client):
                yield row


@asynccontextmanager
async def engine_of(**settings: str) -> AsyncIterator[tuple[EngineProcess, Client]]:
    """Start an engine with high limits, and a client."""
    with tempfile.TemporaryDirectory(prefix="pratique-") as home:
        engine = EngineProcess(Path(home), **(ROOM | settings))
        engine.start()
        try:
            async with engine.client("bench") as client:
                await client.health(20)
                yield engine, client
        finally:
            engine.end()


# --- first paint -------------------------------------------------------------------------------------------


def _first_paint() -> Row:
    blank, ours = [], []
    for _ in range(ROUNDS):
        blank.append(_painted(BLANK))
        ours.append(_painted(CONSOLE))
    raw, (p50, p95, p99) = percentiles(blank)[0], percentiles(ours)
    return Row(
        "console: first paint", p50, p95, p99, "ms", raw, raw / p50, "<= 1.7 x a blank app", p50 <= 1.7 * raw
    )


def _painted(program: str) -> float:
    """Return the milliseconds from the start of a process to its first text on the terminal."""
    with PtyConsole([sys.executable, "-c", program], {}) as painted:
        return (painted.see(b"Loading") - painted.began) * 1000


# --- large code --------------------------------------------------------------------------------------------


async def _large_code(engine: EngineProcess, client: Client) -> list[Row]:
    for code in (SMALL, LARGE):
        await client.submit(Draft(code=Untrusted(code), language=Language.PYTHON))
    return await asyncio.to_thread(_open_and_jump, engine)


def _open_and_jump(engine: EngineProcess) -> list[Row]:
    with console(engine.home) as submissions:
        submissions.see(*MARKS)
        time.sleep(SETTLE_SECONDS)
        before, _ = submissions.press(b"]")
        submissions.see(*MARKS, since=before)
        to_large, to_small = (b"]", b"[") if submissions.saw(MARKS[0], before) else (b"[", b"]")
        shown = []
        for _ in range(ROUNDS):
            submissions.until_painted(to_small, MARKS[1])
            time.sleep(SETTLE_SECONDS)
            shown.append(submissions.until_painted(to_large, MARKS[0]))
            time.sleep(SETTLE_SECONDS)
        jumps = [_jump(submissions) for _ in range(JUMPS)]
    paint, jump = percentiles(shown), percentiles(jumps)
    return [
        Row(
            "console: open 5,000 lines, 400 violations", *paint, "ms", None, None, "< 250 ms", paint[0] < 250
        ),
        Row("console: jump to a violation, CPU", *jump, "ms", None, None, "p95 < 20 ms", jump[1] < 20),
    ]


def _jump(submissions: PtyConsole) -> float:
    """Return the milliseconds of CPU that a jump takes, and what else the console does within 150 ms."""
    start = submissions.cpu()
    submissions.press(b"n")
    time.sleep(0.15)
    return (submissions.cpu() - start) * 1000


# --- flood -------------------------------------------------------------------------------------------------


async def _flood(engine: EngineProcess, client: Client) -> list[Row]:
    with console(engine.home) as submissions:
        await asyncio.to_thread(submissions.see, b"Queue is empty")
        submissions.press(b"2")
        id = await _approved(client, FLOOD, Limits(cpus=1, seconds=120, output_kb=65536))
        await asyncio.to_thread(submissions.see, b"the guest writes")
        cpu, start, keys = submissions.cpu(), time.perf_counter(), list[float]()
        while (case := await client.case(id)).result is None:
            for _ in range(2):
                keys.append(await asyncio.to_thread(submissions.until_painted, b"f", b"paused", b"following"))
            await asyncio.sleep(0.25)
        seconds = time.perf_counter() - start
        share = (submissions.cpu() - cpu) / seconds * 100
        said = f"{LINES:,} lines".encode()
        await asyncio.to_thread(submissions.see, said)
        idle = [await asyncio.to_thread(submissions.until_painted, b"f", said) for _ in range(20)]
    key, calm = percentiles(keys), percentiles(idle)[1]
    written = case.result.stdout_bytes
    rate = LINES / case.result.duration
    return [
        Row("console: output flood, rate", rate, rate, rate, "lines/s", None, None, "100,000", rate > 95_000),
        Row("console: output flood, CPU", share, share, share, "% of a core", None, None, "< 50", share < 50),
        Row("console: flood, key to paint", *key, "ms", calm, calm / key[1], "p95 < 50 ms", key[1] < 50),
        Row("console: flood, lines counted", LINES, LINES, LINES, "lines", FLOOD_BYTES, FLOOD_BYTES / written,
            "= recorded", written == FLOOD_BYTES),
    ]  # fmt: skip


async def _approved(client: Client, code: str, limits: Limits) -> str:
    """Submit code, approve it if pending, and return its ID."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON, permissions=Permissions(limits=limits))
    case = await client.submit(draft)
    if case.status is Status.PENDING:
        await client.decide(
            case.submission.id, DecisionOutcome.APPROVED, case.submission.digest, "to measure"
        )
    return case.submission.id


# --- queue and soak ----------------------------------------------------------------------------------------


async def _queue(engine: EngineProcess, client: Client) -> list[Row]:
    """Measure frames with 200 pending and 20 running submissions, without and with key presses."""
    for number in range(PENDING):
        await client.submit(_waits(number))
    runs = [
        await _approved(client, LASTING, Limits(cpus=0.1, memory_mb=64, seconds=600)) for _ in range(RUNNING)
    ]
    async with asyncio.timeout(PATIENCE_SECONDS):
        while sum(each.status is Status.RUNNING for each in await client.queue()) < RUNNING:
            await asyncio.sleep(0.5)
    told = engine.home / "frames"
    with console(engine.home, FRAMES.replace("TOLD", str(told))) as submissions:
        await asyncio.to_thread(submissions.see, b"Pending 200")
        await asyncio.sleep(SETTLE_SECONDS)
        calm = await _frames(submissions, client, told, b"")
        moving = await _frames(submissions, client, told, b"]2]1")
    for id in runs:
        await client.kill(id)
    return [
        Row(
            f"console: frame, 200 pending and 20 running{what}",
            *times,
            "ms",
            None,
            None,
            "p95 < 33 ms",
            times[1] < 33,
        )
        for frames, said in ((calm, ""), (moving, ", and places change"))
        for times, what in zip(frames, (said, f"{said}, CPU"), strict=True)
    ]


async def _frames(
    submissions: PtyConsole, client: Client, told: Path, keys: bytes
) -> list[tuple[float, float, float]]:
    """Return wall and CPU time of frames while the queue changes and keys are pressed."""
    before = len(told.read_text().splitlines())
    for number in range(UPDATES):
        gone = await client.submit(_waits(PENDING + number))
        if keys:
            submissions.press(keys[number % len(keys) :][:1])
        await asyncio.sleep(0.1)
        await client.withdraw(gone.submission.id)
    frames = [[float(each) for each in line.split()] for line in told.read_text().splitlines()[before:]]
    return [percentiles(times) for times in zip(*frames, strict=True)]


def _waits(number: int) -> Draft:
    return Draft(code=Untrusted(f"import os\nprint(os.environ, {number})\n"), language=Language.PYTHON)
