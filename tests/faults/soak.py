"""`python -m tests.faults.soak`: submissions, runs and followers without pause, and what grows.

Submissions that are denied come first, then runs in gVisor, while clients that follow like consoles come and
go. After a warm-up, slopes are fitted to what one engine holds. Ctrl+C or `--minutes` ends a phase early:
what was counted until then is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import docker

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from tests.engine_process import EngineProcess
from tests.faults.load import ROOM

Work = Callable[[Client], Awaitable[None]]
CLIENTS = 4
WARM = 0.3
"""The part of each phase after which growth counts: caches, pools and allocators have filled."""
SAMPLES = 60
GROUP = 6
"""Of so many samples in a row the lowest counts: followers come and go, and hold connections meanwhile."""
FOLLOWED = 25
"""After so many submissions or runs of each client, a follower comes or goes."""
RUN_SECONDS = 60.0
SLACK = {
    "memory": 0.5,
    "workers": 0.5,
    "descriptors": 1,
    "threads": 1,
    "containers": 1,
    "volumes": 1,
    "files": 1,
}
"""The growth that is taken for flat, per 1,000 runs or per 10,000 submissions; memory in MB."""
LARGER = 2.0
"""Of submissions the engine may keep so many times the memory: 1 MB per 10,000."""


@dataclass
class Phase:
    """What was counted while one kind of work went on."""

    name: str
    unit: int
    done: int = 0
    samples: list[tuple[int, dict[str, float]]] = field(default_factory=list)

    def slopes(self) -> Iterator[tuple[str, float]]:
        """Yield the growth of each thing per unit of work, fitted by least squares after the warm-up."""
        warm = [(done, held) for done, held in self.samples if done >= WARM * self.done]
        for name in warm[0][1]:
            points = [(float(done), held[name]) for done, held in warm]
            yield name, self.unit * _slope(_lowest(points))


def _lowest(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the lowest point of each group."""
    groups = [points[first : first + GROUP] for first in range(0, len(points), GROUP)]
    return [min(group, key=lambda point: point[1]) for group in groups]


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the straight line through points; 0 where there is no second one."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


class Soak:
    """One engine, and those who keep it busy."""

    def __init__(self, engine: EngineProcess) -> None:
        self._engine = engine
        self._docker = docker.APIClient(version="auto")
        self._numbers = count()
        self._ended = False
        self.followed = 0

    def close(self) -> None:
        """Leave Docker."""
        self._docker.close()

    async def phase(
        self, name: str, unit: int, most: int, work: Callable[[Client], Awaitable[None]]
    ) -> Phase:
        """Do a kind of work so many times with several clients, and count what the engine holds meanwhile."""
        phase = Phase(name, unit)
        self._ended = False
        async with asyncio.TaskGroup() as clients:
            for number in range(CLIENTS):
                clients.create_task(self._client(phase, f"soak-{number}", most, work))
        phase.samples.append((phase.done, await asyncio.to_thread(self.held)))
        return phase

    def end_phase(self) -> None:
        """End the phase early: each client ends once it did what it is about."""
        self._ended = True

    async def _client(self, phase: Phase, name: str, most: int, work: Work) -> None:
        async with self._engine.client(name) as client:
            while phase.done < most and not self._ended:
                async with contextlib.AsyncExitStack() as following:
                    if phase.done // FOLLOWED % 2:
                        await following.enter_async_context(self._follower())
                    for _ in range(FOLLOWED):
                        await work(client)
                        phase.done += 1
                        if phase.done % max(1, most // SAMPLES) == 0:
                            phase.samples.append((phase.done, await asyncio.to_thread(self.held)))

    @contextlib.asynccontextmanager
    async def _follower(self) -> Any:
        """Look at the queue, Health and the history, and follow what happens, as a console does."""
        async with self._engine.client() as client:
            await asyncio.gather(client.queue(), client.health(), client.history.search())
            following = asyncio.create_task(self._follow(client))
            yield
            following.cancel()
            await asyncio.wait({following})

    async def _follow(self, client: Client) -> None:
        async for _ in client.events():
            self.followed += 1

    async def deny(self, client: Client) -> None:
        """Submit something, and deny it."""
        id, digest = await self._submit(client)
        await client.decide(id, DecisionOutcome.DENIED, digest, "to soak it")

    async def run(self, client: Client) -> None:
        """Submit something, approve it, and wait for its end."""
        id, digest = await self._submit(client)
        await client.decide(id, DecisionOutcome.APPROVED, digest, "to soak it")
        case = await client.case(id, within=RUN_SECONDS)
        if case.result is None or case.result.exit_code:
            raise RuntimeError(f"{id} did not run: {case.status}, {case.result}")

    async def _submit(self, client: Client) -> tuple[str, str]:
        text = f"cat /etc/hostname; echo {next(self._numbers)} {'x' * 200}"
        case = await client.submit(Draft(code=Untrusted(text), language=Language.SHELL))
        return case.submission.id, case.submission.digest

    def held(self) -> dict[str, float]:
        """Count what the engine holds."""
        process = Path(f"/proc/{self._engine.pid}")
        labelled = {"label": f"pratique.engine={self._engine.name}"}
        return {
            "memory": _resident_mb(process),
            "workers": sum(map(_resident_mb, _children(self._engine.pid))),
            "descriptors": len(list((process / "fd").iterdir())),
            "threads": len(list((process / "task").iterdir())),
            "containers": len(self._docker.containers(all=True, filters=labelled)),
            "volumes": len(self._docker.volumes(filters=labelled)["Volumes"] or []),
            "files": sum(1 for _ in self._engine.home.rglob("*")),
        }


def _children(parent: int) -> list[Path]:
    found = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [Path("/proc") / pid for pid in found if b"analysis_pool" in _command_line(pid)]


def _command_line(pid: str) -> bytes:
    """Return how a process was started, or nothing where it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _resident_mb(process: Path) -> float:
    status = (process / "status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


def _row(phase: Phase, name: str, slope: float) -> tuple[str, bool]:
    first = next(held[name] for done, held in phase.samples if done >= WARM * phase.done)
    last = phase.samples[-1][1][name]
    most = SLACK[name] * (LARGER if phase.unit > 1000 and name in {"memory", "workers"} else 1)
    flat = slope < most
    what = f"{name} per {phase.unit:,} {phase.name}"
    return (
        f"{what:<40} {first:>9.1f} {last:>9.1f} {slope:>9.2f} {most:>7.1f}  {'' if flat else 'GROWS'}",
        flat,
    )


async def _soak(chosen: argparse.Namespace, home: Path) -> bool:
    engine = EngineProcess(home, **{**ROOM, "XDG_DATA_HOME": str(home / "data")})
    engine.start()
    soak = Soak(engine)
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, soak.end_phase)
    print(f"{'':<40} {'warm':>9} {'end':>9} {'slope':>9} {'asked':>7}")
    try:
        async with engine.client() as client:
            await client.health(20)
        flat = [
            await _phase(soak, "submissions", 10_000, chosen.submissions, soak.deny, chosen.minutes),
            await _phase(soak, "runs", 1_000, chosen.runs, soak.run, chosen.minutes),
        ]
        print(f"followers got {soak.followed:,} events")
    finally:
        soak.close()
        await asyncio.to_thread(engine.end)
    return all(flat)


async def _phase(soak: Soak, name: str, unit: int, most: int, work: Work, minutes: float) -> bool:
    """Print the rows of a kind of work; return whether all that is held stays flat."""
    began = time.monotonic()
    late = asyncio.get_running_loop().call_later(minutes * 60, soak.end_phase)
    phase = await soak.phase(name, unit, most, work)
    late.cancel()
    rows = [_row(phase, *slope) for slope in phase.slopes()]
    print(*(row for row, _ in rows), sep="\n")
    print(f"{phase.done:,} {name} in {time.monotonic() - began:.0f} s", flush=True)
    return all(flat for _, flat in rows)


def main() -> int:
    """Print the table; return 1 where something grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=7 * 24 * 60, help="how long each phase may take")
    with tempfile.TemporaryDirectory(prefix="pratique-soak-") as home:
        return int(not asyncio.run(_soak(parser.parse_args(), Path(home))))


if __name__ == "__main__":
    sys.exit(main())
