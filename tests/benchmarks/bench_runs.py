"""What a whole engine adds to a run: from an approval to its first byte, and what its meters cost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from engine.analyst import Analyst
from engine.audit import AuditLog
from engine.models import Draft, Language, Principal, Role, Verdict
from engine.sandbox import SandboxManager, readings
from engine.service import Engine
from engine.settings import SandboxSettings, Settings
from engine.text import Untrusted
from tests.benchmarks.row import Row, percentiles
from tests.sandboxes import Recorder, job

_AGENT = Principal(name=Untrusted("agent"))
_ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
_DRAFT = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
_ROUNDS = 15
_STEADY_SECONDS = 20


async def rows() -> list[Row]:
    """Measure."""
    return [await _approved(), await _meters()]


async def _approved() -> Row:
    """Measure from the approval, which is on disk, to the first byte that a reader of the run gets."""
    firsts = []
    async with _engine() as engine:
        for _ in range(_ROUNDS):
            while not all(stock.ready for stock in engine.stocks) or not engine.stocks:
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.3)
            case = await engine.desk.submit(_DRAFT, _AGENT)
            id, digest = case.submission.id, case.submission.digest
            await engine.desk.decide(id, _ADA, Verdict.APPROVED, digest)
            begun = time.perf_counter()
            async with contextlib.aclosing(engine.output(id)) as chunks:
                await anext(chunks)
            firsts.append((time.perf_counter() - begun) * 1000)
            await engine.over(id)
    p50, p95, p99 = percentiles(firsts)
    asked = "p50 10 ms, p99 50 ms"
    name = "approved -> first byte, through the engine and its history"
    return Row(name, p50, p95, p99, "ms", None, None, asked, p50 <= 10 and p99 <= 50)


@contextlib.asynccontextmanager
async def _engine() -> AsyncIterator[Engine]:
    """Yield an engine with a history of its own, which keeps one Python sandbox ready."""
    with tempfile.TemporaryDirectory() as home:
        before, os.environ["PRATIQUE_HOME"] = os.environ.get("PRATIQUE_HOME"), home
        images = {"python": "python"}
        settings = Settings(sandbox=SandboxSettings(pool=1, images=images))
        log = await AuditLog.open(Path(home) / "pratique.db", settings.audit)
        analyst, sandboxes = (
            Analyst(settings.analysis),
            SandboxManager(settings.sandbox, f"bench-{os.getpid()}"),
        )
        try:
            async with Engine(settings, log, analyst, sandboxes) as engine:
                await engine.health(settled_within=60)
                yield engine
        finally:
            await sandboxes.close()
            await analyst.close()
            await log.close()
            os.environ.pop("PRATIQUE_HOME")
            if before is not None:
                os.environ["PRATIQUE_HOME"] = before


async def _meters() -> Row:
    metered = await _sleeping_share()
    often, readings._SECONDS = readings._SECONDS, 3600.0
    try:
        share = metered - await _sleeping_share()
    finally:
        readings._SECONDS = often
    return Row(
        "meters of one running sandbox, ten a second", share, share, share, "%", metered, None,
        "below 1 % of a core", share < 1,
    )  # fmt: skip


async def _sleeping_share() -> float:
    """Return how much of a core this process uses while a program sleeps, long after its start."""
    async with _manager() as manager:
        watcher = Recorder()
        code = f"import time\nprint('up', flush=True)\ntime.sleep({_STEADY_SECONDS + 10})"
        running = asyncio.create_task(manager.run(job(code, seconds=60), watcher))
        await watcher.until_said(b"up")
        await asyncio.sleep(2)
        before, began = time.process_time(), time.perf_counter()
        await asyncio.sleep(_STEADY_SECONDS)
        used = time.process_time() - before
        share = 100 * used / (time.perf_counter() - began)
        running.cancel()
        await asyncio.wait({running})
        return share


@contextlib.asynccontextmanager
async def _manager() -> AsyncIterator[SandboxManager]:
    manager = SandboxManager(SandboxSettings(pool=0), f"bench-{os.getpid()}")
    await manager.start()
    try:
        yield manager
    finally:
        await manager.close()


def main() -> None:
    """Print the rows."""
    for row in asyncio.run(rows()):
        print(row)  # noqa: T201


if __name__ == "__main__":
    main()
