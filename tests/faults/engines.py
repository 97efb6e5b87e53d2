"""`python -m tests.faults.engines`: engines over one PostgreSQL, killed in turn, and their server restarted.

Each submission that was answered has to be in the history; each is decided and run at most once; what was
answered about a decision is what is recorded; the chain is intact.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import shutil
import signal
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from engine.history.api import HistoryReader
from engine.history.store.open import open_history
from engine.models import Event
from engine.settings import HistorySettings
from tests.postgres_server import PostgresServer

PROGRAM = "tests.faults.one_of_several"
NAMES = ("a", "b", "c")
DOWN_SECONDS = 12.0
"""How long a killed engine stays away: longer than the others take to notice."""
UP_SECONDS = 120.0
END_SECONDS = 60.0
CLIENTS = 3
PAGE = 1000
CHANCE = random.Random()  # noqa: S311  which one is hit
CLOSED = "interrupted"


@dataclass
class Report:
    """What came of it."""

    submitted: set[str] = field(default_factory=set)
    decided: dict[str, str] = field(default_factory=dict)
    deciders: dict[str, str] = field(default_factory=dict)
    """Of each decision the engine that answered it."""
    handed_over: int = 0
    """How many runs started at another engine than the one that approved them."""
    started: Counter[str] = field(default_factory=Counter)
    answers: list[float] = field(default_factory=list)
    """Milliseconds until a submission was answered."""
    kills: list[tuple[str, datetime]] = field(default_factory=list)
    takeovers: list[float] = field(default_factory=list)
    """Seconds from the death of an engine to the end of each run that it had."""
    cut_off: int = 0
    """How many runs were closed though their engine lived: it lost its database."""
    restarts: int = 0
    events: int = 0
    seconds: float = 0.0
    broken: list[str] = field(default_factory=list)

    def take(self, engine: str, line: str) -> None:
        """Take a fact that an engine said."""
        kind, _, rest = line.partition(" ")
        if kind == "s":
            self.submitted.add(rest)
        elif kind == "d":
            id, _, outcome = rest.partition(" ")
            self.decided[id], self.deciders[id] = outcome, engine
        elif kind == "x":
            self.started[rest] += 1
        elif kind == "p":
            self.answers.append(float(rest) / 1000)

    def take_end(self, events: list[Event], kills: list[datetime]) -> None:
        """Take a run that another engine closed, and when its own one was killed meanwhile."""
        at = {event.type: event.at for event in events}
        was_closed = any(one.type == "run.ended" and one.data["kill_reason"] == CLOSED for one in events)
        if not was_closed or "run.started" not in at:
            return
        started, ended = at["run.started"], at["run.ended"]
        death = min((kill for kill in kills if started <= kill <= ended), default=None)
        if death:
            self.takeovers.append((ended - death).total_seconds())
        else:
            self.cut_off += 1

    def __str__(self) -> str:
        longest = max(self.takeovers, default=0.0)
        late = f"{_p95(self.takeovers):.1f} s, at most {longest:.1f} s (n = {len(self.takeovers)})"
        answers = f"p50 {statistics.median(self.answers):.0f}, p95 {_p95(self.answers):.0f} ms"
        lines = [
            f"{len(self.submitted)} submissions answered ({answers}) in {self.seconds:.0f} s",
            f"{len(self.decided)} decisions answered, {self.started.total()} runs started",
            f"{self.handed_over} runs at another engine than the decision",
            f"{len(self.kills)} engines killed, PostgreSQL restarted {self.restarts} times",
            f"takeover p95 {late}; {self.cut_off} runs closed of an engine that lived",
            f"{self.events} records in one chain",
            *(f"BROKEN: {one}" for one in self.broken[:20]),
            f"{len(self.broken)} promises broken",
        ]
        return "\n".join(lines)


class Engines:
    """Three processes, and what they say."""

    def __init__(self, url: str, folder: Path, report: Report) -> None:
        self._url, self._folder, self._report = url, folder, report
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._readers: list[asyncio.Task[None]] = []

    async def start(self, name: str, clients: int = CLIENTS) -> None:
        """Start an engine with so many clients that submit, and return once it serves."""
        home = self._folder / name
        home.mkdir(mode=0o700, exist_ok=True)
        command = [sys.executable, "-m", PROGRAM, self._url, str(home), name, str(clients)]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        self._processes[name] = process
        up = asyncio.Event()
        self._readers.append(asyncio.create_task(self._read(name, process, up)))
        async with asyncio.timeout(UP_SECONDS):
            await up.wait()

    async def _read(self, name: str, process: asyncio.subprocess.Process, up: asyncio.Event) -> None:
        assert process.stdout is not None
        while line := (await process.stdout.readline()).decode().strip():
            up.set()
            self._report.take(name, line)
        up.set()

    async def kill(self, name: str) -> None:
        """Kill an engine as if its machine was gone."""
        process = self._processes[name]
        process.kill()
        self._report.kills.append((name, datetime.now(UTC)))
        await process.wait()

    def end(self) -> None:
        """Let none go on, whatever happened."""
        for process in self._processes.values():
            if process.returncode is None:
                process.kill()

    async def stop(self) -> None:
        """Let all finish, and hear all that they say."""
        for process in self._processes.values():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_SECONDS):
                await asyncio.gather(*(process.wait() for process in self._processes.values()))
        self.end()
        await asyncio.gather(*self._readers)


async def campaign(most: int, seconds: float, every: float, restarts: int) -> Report:
    """Run engines until so many submissions were answered, or so long; kill one every so many seconds."""
    folder, server, report = (
        Path(tempfile.mkdtemp(prefix="pratique-engines-")),
        PostgresServer.make(),
        Report(),
    )
    url = server.database("campaign")
    engines = Engines(url, folder, report)
    try:
        await _make_key(url, folder)
        await asyncio.gather(*map(engines.start, NAMES))
        began, enough = time.monotonic(), asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_kill_in_turn(engines, every, enough))
            tasks.create_task(_restart(server, report, seconds / (restarts + 1), restarts, enough))
            while len(report.submitted) < most and time.monotonic() - began < seconds:
                await asyncio.sleep(0.2)
            report.seconds = time.monotonic() - began
            enough.set()
        await engines.stop()
        await engines.start("last", clients=0)
        await asyncio.sleep(DOWN_SECONDS)
        await engines.stop()
        await _check(url, folder, report)
    finally:
        engines.end()
        server.end()
        shutil.rmtree(folder, ignore_errors=True)
    return report


async def _make_key(url: str, folder: Path) -> None:
    first = folder / NAMES[0]
    first.mkdir(mode=0o700)
    await (await open_history(_settings(url, NAMES[0]), first / "p.db", None)).close()
    for name in (*NAMES[1:], "last", "check"):
        (folder / name).mkdir(mode=0o700)
        shutil.copy(first / "p.key", folder / name)


def _settings(url: str, name: str) -> HistorySettings:
    return HistorySettings(database=url, engines="several", engine_name=name)


async def _kill_in_turn(engines: Engines, every: float, enough: asyncio.Event) -> None:
    """Kill engines, and start each again, until it is enough: then all of them are up."""
    began = time.monotonic()
    for number in count(1):
        if await _within(enough, began + number * every - time.monotonic()):
            return
        name = CHANCE.choice(NAMES)
        await engines.kill(name)
        await _within(enough, min(every, DOWN_SECONDS))
        await engines.start(name)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    """Return whether something happens within so many seconds."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
    return event.is_set()


async def _restart(
    server: PostgresServer, report: Report, seconds: float, times: int, enough: asyncio.Event
) -> None:
    while report.restarts < times and not await _within(enough, seconds):
        await asyncio.to_thread(server.stop, CHANCE.choice(["fast", "immediate"]))
        await asyncio.to_thread(server.start)
        report.restarts += 1


async def _check(url: str, folder: Path, report: Report) -> None:
    """Read the history, and compare it with what was answered."""
    log = await open_history(_settings(url, "check"), folder / "check" / "p.db", None)
    try:
        found = await log.verify()
        report.events = found.events
        if not found.intact:
            report.broken.append(f"the history is not intact: {found.problem}")
        by_subject: defaultdict[str, list[Event]] = defaultdict(list)
        async for event in _events(log.read):
            by_subject[event.subject].append(event)
        for id in report.submitted - by_subject.keys():
            report.broken.append(f"{id} was answered, and is not in the history")
        for id, events in by_subject.items():
            report.broken += _problems(id, events, report.decided.get(id))
            engine = next((str(one.data["engine"]) for one in events if one.type == "run.started"), "")
            report.handed_over += engine not in {"", report.deciders.get(id, engine)}
            report.take_end(events, [at for name, at in report.kills if name == engine])
        report.broken += [f"{code} was run {n} times" for code, n in report.started.items() if n > 1]
    finally:
        await log.close()


async def _events(reader: HistoryReader) -> AsyncIterator[Event]:
    last = 0
    while page := await reader.events(since=last, limit=PAGE):
        for event in page:
            yield event
        last = page[-1].seq


def _problems(id: str, events: list[Event], answered: str | None) -> list[str]:
    count = Counter(event.type for event in events)
    many = [kind for kind in ("decision.made", "run.started", "run.ended") if count[kind] > 1]
    found = [f"{id} has {count[kind]} times {kind}" for kind in many]
    outcome = next((str(one.data["outcome"]) for one in events if one.type == "decision.made"), None)
    if answered and answered != outcome:
        found.append(f"{id} was answered as {answered}, and recorded as {outcome}")
    if outcome == "approved" and not count["run.ended"]:
        found.append(f"{id} was approved, and has no end")
    return found


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))] if values else 0.0


def main() -> int:
    """Run the campaign, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=600, help="how long it lasts at most")
    parser.add_argument("--every", type=float, default=20, help="seconds from one kill to the next")
    parser.add_argument("--restarts", type=int, default=2, help="how often PostgreSQL is restarted")
    chosen = parser.parse_args()
    report = asyncio.run(campaign(chosen.submissions, chosen.seconds, chosen.every, chosen.restarts))
    sys.stdout.write(f"{report}\n")
    return bool(report.broken)


if __name__ == "__main__":
    raise SystemExit(main())
