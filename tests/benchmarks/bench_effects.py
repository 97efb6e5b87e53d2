"""What observing effects costs: the same runs with and without it, in turn."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import AsyncIterator
from statistics import median

from engine.models import Language
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.drivers.docker.trace import Trace, Unobserved
from engine.sandbox.drivers.docker.tracing import Tracer
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.row import Row, percentiles
from tests.sandboxes import IMAGES, Recorder, job, sandbox_manager

_ROUNDS = 15
_DATA_IMAGE = "pratique/python-data"
_WRITES = "import os\nfor _ in range(100_000):\n    os.write(1, b'x')"
_PANDAS = "import pandas\nframe = pandas.DataFrame({'a': range(9999)})\nprint(frame.describe())"


class _NoTracer(Tracer):
    """Observes nothing."""

    async def attach(self, container: str, pid: int) -> Trace | Unobserved:
        """Refuse."""
        return Unobserved("a benchmark")


class _Timed(Recorder):
    """A watcher that notes when the first byte came."""

    def __init__(self) -> None:
        super().__init__()
        self.begun = time.perf_counter()
        self.first = 0.0

    async def output(self, chunk: object) -> None:
        """Note the time, and keep nothing."""
        self.first = self.first or time.perf_counter() - self.begun


async def rows() -> list[Row]:
    """Measure the first byte of warm runs, and programs that make many calls."""
    async with _manager(observed=True) as observed, _manager(observed=False) as plain:
        pair = (observed, plain)
        first = await alternate(pair, "print(1)", _ROUNDS, first=True)
        writes = await alternate(pair, _WRITES, 5)
        data = await alternate(pair, _PANDAS, 5, _DATA_IMAGE)
    return [
        compared("warm python, observed: run -> first byte", first, "+ 1 ms", most=None),
        compared("100,000 small writes, observed", writes, "at most 1.5x", most=1.5),
        compared("pandas sample, observed", data, "+ 10 %", most=1.1),
    ]


def compared(name: str, taken: tuple[list[float], list[float]], target: str, most: float | None) -> Row:
    """Return a row of pairs: the median of the ratios decides, or without `most` of the differences."""
    (p50, p95, p99), baseline = percentiles(taken[0]), percentiles(taken[1])[0]
    ratio = median(ours / theirs for ours, theirs in zip(*taken, strict=True))
    more = median(ours - theirs for ours, theirs in zip(*taken, strict=True))
    passed = more <= 1 if most is None else ratio <= most
    return Row(name, p50, p95, p99, "ms", baseline, 1 / ratio, target, passed)


async def alternate(
    managers: tuple[SandboxManager, SandboxManager],
    code: str,
    rounds: int,
    image: str = "",
    language: Language = Language.PYTHON,
    *,
    first: bool = False,
) -> tuple[list[float], list[float]]:
    """Return the milliseconds of both managers' runs, measured in turn: other load falls on both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for manager, into in zip(managers, taken, strict=True):
            await _ready(manager)
            watcher = _Timed()
            result = await manager.run(job(code, language, image=image, seconds=120, output_kb=1024), watcher)
            into.append(1000 * (watcher.first if first else result.duration))
    return taken


async def _ready(manager: SandboxManager) -> None:
    while not all(status.ready for status in manager.pool_status):
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.3)


@contextlib.asynccontextmanager
async def _manager(*, observed: bool) -> AsyncIterator[SandboxManager]:
    manager = sandbox_manager(SandboxSettings(pool=1), f"bench-effects-{observed}-{os.getpid()}")
    assert isinstance(manager.driver, DockerDriver)
    if not observed:
        manager.driver.factory.tracer = _NoTracer()
    await manager.start()
    try:
        images = (IMAGES[Language.PYTHON], _DATA_IMAGE)
        await manager.warm([(Language.PYTHON, image) for image in images])
        yield manager
    finally:
        await manager.close()
