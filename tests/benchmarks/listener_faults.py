"""`python -m tests.benchmarks.listener_faults --runs 200`: runs whose listener dies, hangs, is slow.

Each has to end as it would have, within its time, and to say whether its observed effects are complete.

`--opens 1000000` floods one run with so many opens first, and compares its counters with what it did.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from engine.models import Result
from engine.models.observed import Observation, ObservationStatus, ObservedKind
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.drivers.docker.trace_process import TraceProcess
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.sandboxes import Recorder, job, sandbox_manager

WRITES = 300
PROGRAM = f"""
import os, sys, time
print('on', flush=True)
for _ in range({WRITES}):
    os.close(os.open('/workspace/f', os.O_CREAT | os.O_WRONLY))
    time.sleep(0.003)
print('end', flush=True)
os._exit(3)
"""
FLOOD = """
import os
print('on', flush=True)
for number in range({opens}):
    os.close(os.open('/workspace/f', os.O_CREAT | os.O_WRONLY))
    if number % 1000 == 0:
        os.close(os.open('/workspace/g%d' % (number // 1000), os.O_CREAT | os.O_WRONLY))
os.mkdir('/workspace/last')
print('end', flush=True)
os._exit(3)
"""
_READY_SECONDS = 60


@dataclass(frozen=True)
class Outcome:
    """How one run ended."""

    fault: str
    result: Result
    said: bytes
    observation: Observation | None
    writes: int
    """How many of its writes were counted."""
    seconds: float
    """From its request to its result."""

    @property
    def wrong(self) -> str:
        """What is not as it should be; empty where all is."""
        if (self.result.exit_code, self.said) != (3, b"on\nend\n"):
            return f"it ended otherwise: {self.result.exit_code}, {self.result.evidence}"
        if self.observation is None:
            return "it does not say whether it was observed"
        return "it says that it misses nothing, and does" if self.complete and self.writes < WRITES else ""

    @property
    def complete(self) -> bool:
        """Whether it says that all was observed, as one that ended before the fault may."""
        return self.observation is not None and self.observation.status is ObservationStatus.COMPLETE


def listener(manager: SandboxManager) -> TraceProcess:
    """Return the listener of a manager."""
    assert isinstance(manager.driver, DockerDriver)
    return manager.driver.factory.tracer.process


async def killed(process: TraceProcess, over: asyncio.Event) -> None:
    """Kill the listener."""
    os.kill(process.pid, signal.SIGKILL)


async def hung(process: TraceProcess, over: asyncio.Event) -> None:
    """Stop the listener for good."""
    os.kill(process.pid, signal.SIGSTOP)


async def slowed(process: TraceProcess, over: asyncio.Event) -> None:
    """Let the listener work half of the time."""
    pid = process.pid
    while not over.is_set():
        for name in (signal.SIGSTOP, signal.SIGCONT):
            os.kill(pid, name)
            await asyncio.sleep(0.1)


async def flooded(process: TraceProcess, over: asyncio.Event) -> None:
    """Do nothing: a program that floods runs beside the others."""


FAULTS: dict[str, Callable[[TraceProcess, asyncio.Event], Awaitable[None]]] = {
    "killed": killed, "hung": hung, "slowed": slowed, "flooded": flooded,
}  # fmt: skip


async def batch(manager: SandboxManager, fault: str, size: int) -> list[Outcome]:
    """Run so many programs at once, with a fault once all of them have begun."""
    await asyncio.wait_for(listener(manager).ready.wait(), _READY_SECONDS)
    watchers = [Recorder() for _ in range(size)]
    over = asyncio.Event()
    noise = asyncio.create_task(_noise(manager)) if fault == "flooded" else None
    began = time.monotonic()
    runs = [asyncio.create_task(manager.run(job(PROGRAM, seconds=60), one)) for one in watchers]
    await asyncio.gather(*(one.until_said(b"on\n") for one in watchers))
    spoiling = asyncio.create_task(_spoil(manager, fault, over))
    results = [(await run, time.monotonic() - began) for run in runs]
    over.set()
    await spoiling
    if noise is not None:
        await noise
    pairs = zip(watchers, results, strict=True)
    return [
        Outcome(fault, result, one.stdout, one.observation, _writes(one), seconds)
        for one, (result, seconds) in pairs
    ]


async def _spoil(manager: SandboxManager, fault: str, over: asyncio.Event) -> None:
    await FAULTS[fault](listener(manager), over)


async def _noise(manager: SandboxManager) -> None:
    await manager.run(job(FLOOD.format(opens=30_000), seconds=120), Recorder())


def _writes(watcher: Recorder) -> int:
    """Return how many writes of the program's file were counted."""
    return sum(one.count for one in watcher.effects.values() if one.target.text == "/workspace/f")


async def flood(manager: SandboxManager, opens: int) -> str:
    """Open a file so often; return what is wrong with the counters, or nothing."""
    await asyncio.wait_for(listener(manager).ready.wait(), _READY_SECONDS)
    watcher = Recorder()
    await manager.run(job(FLOOD.format(opens=opens), seconds=3000), watcher)
    seen = watcher.observation
    if seen is None or seen.dropped or seen.unreadable:
        return f"not all arrived: {seen}"
    if opens != _writes(watcher):
        return f"{_writes(watcher):,} writes were counted instead of {opens:,}"
    names = {one.target.text for one in watcher.effects.values()}
    first = {f"/workspace/g{number}" for number in range(min(-(-opens // 1000), 100))}
    kinds = {one.kind for one in watcher.effects.values()}
    if first - names or ObservedKind.FOLDER not in kinds:
        return f"the first of a kind are not kept: {sorted(first - names)[:3]}"
    return ""


async def starve(manager: SandboxManager, opens: int) -> Outcome:
    """Open a file more often than events are kept for a listener that hangs."""
    await asyncio.wait_for(listener(manager).ready.wait(), _READY_SECONDS)
    watcher = Recorder()
    began = time.monotonic()
    running = asyncio.create_task(manager.run(job(FLOOD.format(opens=opens), seconds=120), watcher))
    await watcher.until_said(b"on\n")
    await hung(listener(manager), asyncio.Event())
    result = await running
    seconds = time.monotonic() - began
    return Outcome("hung", result, watcher.stdout, watcher.observation, _writes(watcher), seconds)


async def main(runs: int, opens: int) -> int:
    """Run everything and say what came of it; return how much is wrong."""
    manager = sandbox_manager(SandboxSettings(pool=0, concurrent=5), f"listener-faults-{os.getpid()}")
    await manager.start()
    wrong: list[str] = []
    try:
        if opens:
            began = time.monotonic()
            wrong += [why] if (why := await flood(manager, opens)) else []
            print(f"{opens:,} opens: {wrong or 'exact'}, {time.monotonic() - began:.0f} s", flush=True)  # noqa: T201
        outcomes: list[Outcome] = []
        names = list(FAULTS)
        for number in range(-(-runs // 4)):
            outcomes += await batch(manager, names[number % len(names)], 4)
        for name in names:
            of = [one for one in outcomes if one.fault == name]
            bad = [one.wrong for one in of if one.wrong]
            wrong += bad
            states = [one.observation.status.value for one in of if one.observation]
            told = {state: states.count(state) for state in sorted(set(states))}
            slowest = max((one.seconds for one in of), default=0.0)
            print(f"{name}: {len(of)} runs, {told}, slowest {slowest:.1f} s, wrong: {bad}")  # noqa: T201
    finally:
        await manager.close()
    return len(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--opens", type=int, default=0)
    given = parser.parse_args()
    sys.exit(min(1, asyncio.run(main(given.runs, given.opens))))
