"""`python -m tests.benchmarks.soak [RUNS]`: a thousand mixed runs, a fault every twenty, and what is left.

Runs of every kind, executions in a sandbox that stays among them, go through one engine's sandbox room while
the runtime's processes are killed, callers go away and Docker breaks off. Counts of containers, processes,
sockets and open files, tasks and temporary files are the same afterwards, and memory is flat, or this ends
with 1.
"""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from engine.models import KillReason, Language, Result
from engine.sandbox import Job, SandboxUnavailable
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.docker_proxy import DockerProxy
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

FATES = (KillReason.SANDBOX_FAILED.value, "its caller went", KillReason.ENGINE_LOST.value)
"""How the run ends whose processes are killed, whose caller goes, and to which Docker breaks off."""
MOST_GROWTH_MB = 24
_DOOR = "docker.sock"


@dataclass(frozen=True)
class Counts:
    """What there is of each thing."""

    containers: int
    processes: int
    """Processes of the runtime that belong to this engine's containers."""
    descriptors: int
    """Sockets and files that this process has open."""
    tasks: int
    temporary: int
    """Entries of the folder for temporary files."""


@dataclass(frozen=True)
class Kind:
    """One of the kinds of runs."""

    name: str
    job: Callable[[], Job]
    ends: KillReason = KillReason.NONE


KINDS = (
    Kind("print", lambda: job("print(1)")),
    Kind("shell", lambda: job("echo 1; exit 3", Language.SHELL)),
    Kind("files", lambda: job("open('f', 'wb').write(bytes(10**6)); print(1)", files={"in": b"x"})),
    Kind(
        "memory", lambda: job("x = []\nwhile True: x.append(b'x' * 10**7)", memory_mb=128), KillReason.MEMORY
    ),
    Kind("flood", lambda: job("while True: print('x' * 999)", output_kb=64), KillReason.OUTPUT),
    Kind(
        "stays",
        lambda: replace(job("n=$((n + 1)); echo $n", Language.SHELL), session="b-soak", principal="soak"),
    ),
)


@dataclass
class Soaked:
    """What came of it."""

    before: Counts
    after: Counts
    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    """Each run that ended otherwise than its kind does, with the evidence."""
    seconds: float = 0.0
    resident_mb: tuple[float, float] = (0.0, 0.0)
    """Memory of this process after a tenth of the runs, and at the end."""

    @property
    def flat(self) -> bool:
        """Whether memory stayed what it was, give or take what a garbage collector leaves."""
        early, late = self.resident_mb
        return late < early + MOST_GROWTH_MB


def counted(engine: str, made: set[str], folder: Path) -> Counts:
    """Count what there is."""
    gc.collect()
    return Counts(
        containers=len(containers_of(engine)),
        processes=sum(_names_any(process, made) for process in Path("/proc").glob("[0-9]*")),
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        tasks=len(asyncio.all_tasks()),
        temporary=sum(entry.name != _DOOR for entry in folder.iterdir()),
    )


async def patient(house: SandboxManager, target: Job, watcher: Recorder) -> Result:
    """Run as a patient caller does: when Docker is lost, ask again."""
    async with asyncio.timeout(120):
        while True:
            try:
                return await house.run(target, watcher)
            except SandboxUnavailable:
                await asyncio.sleep(0.2)


async def fault(number: int, house: SandboxManager, proxy: DockerProxy) -> str:
    """Break something: the runtime's processes, the caller, or Docker. Return how its run ended."""
    watcher, target = Recorder(), job("print('up')\nwhile True: pass")
    running = asyncio.create_task(patient(house, target, watcher))
    await watcher.until_said(b"up")
    match number % len(FATES):
        case 0:
            house.control.executions[target.run].sandbox.kill_processes()
        case 1:
            running.cancel()
        case _:
            proxy.break_off()
            proxy.go_on()
    await asyncio.wait({running})
    return "its caller went" if running.cancelled() else str(running.result().kill_reason)


async def soak(runs: int, fault_every: int, folder: Path, engine: str) -> Soaked:
    """Do it, through a door to Docker that can be broken."""
    proxy = DockerProxy(folder / _DOOR)
    before, ends, began = counted(engine, set(), folder), Counter[str](), time.monotonic()
    wrong: list[str] = []
    early = 0.0
    async with proxy.serving():
        _go_through(proxy.path, folder)
        house = sandbox_manager(SandboxSettings(pool=1, grace_seconds=0.5), engine)
        await house.start()
        await house.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        for number in range(runs):
            kind = KINDS[number % len(KINDS)]
            watcher = Recorder()
            result = await patient(house, kind.job(), watcher)
            ends[f"{kind.name}: {result.kill_reason}"] += 1
            if result.kill_reason is not kind.ends:
                wrong.append(f"run {number}, {kind.name}: {result}, {watcher.events}, {watcher.samples[-3:]}")
            if number == runs // 10:
                early = _resident_mb()
            if number % fault_every == fault_every - 1:
                fate = await fault(number // fault_every, house, proxy)
                ends[f"fault: {fate}"] += 1
                if fate != FATES[number // fault_every % len(FATES)]:
                    wrong.append(f"fault after run {number}: {fate}")
        made = set(cast("DockerDriver", house.driver).removed)
        await house.close()
    _go_through(None, None)
    after = counted(engine, made, folder)
    return Soaked(before, after, ends, wrong, time.monotonic() - began, (early, _resident_mb()))


def _go_through(door: Path | None, temporary: Path | None) -> None:
    """Let Docker be reached through a door, and temporary files lie in a folder; or as ever."""
    tempfile.tempdir = str(temporary) if temporary else None
    if door:
        os.environ["DOCKER_HOST"] = f"unix://{door}"
    else:
        os.environ.pop("DOCKER_HOST", None)


def _resident_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def report(soaked: Soaked) -> Iterator[str]:
    """Return what came of it, as lines."""
    yield f"{sum(soaked.ends.values())} runs in {soaked.seconds:.0f} s"
    yield from (f"  {reason}: {count}" for reason, count in soaked.ends.most_common())
    yield from (f"  wrong: {said}" for said in soaked.wrong)
    yield f"{'':12}  before  after"
    for name, before in vars(soaked.before).items():
        yield f"{name:12}  {before:6}  {getattr(soaked.after, name):5}"
    early, late = soaked.resident_mb
    yield f"memory of this process: {early:.0f} MB after a tenth of the runs, {late:.0f} MB at the end"


def _names_any(process: Path, containers: set[str]) -> bool:
    try:
        words = (process / "cmdline").read_text().split("\0")
    except OSError:
        return False
    return not containers.isdisjoint(words)


def main(runs: int) -> int:
    """Soak, print what came of it, and return 1 where something is left."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        soaked = asyncio.run(soak(runs, 20, Path(folder), f"soak-{os.getpid()}"))
    sys.stdout.writelines(f"{line}\n" for line in report(soaked))
    return 1 if soaked.wrong or soaked.before != soaked.after or not soaked.flat else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
