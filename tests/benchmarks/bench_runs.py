"""What a whole engine adds to a run: from an approval to its first byte, and what its meters cost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from engine.analysis_pool import AnalysisPool
from engine.client.client import Client
from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import DecisionOutcome, Draft, Language, Principal, Role
from engine.sandbox.run import metrics_sampler
from engine.sandbox.run.manager import SandboxManager
from engine.settings import PolicySettings, SandboxSettings, Settings
from tests.benchmarks.bench_console import engine_of
from tests.benchmarks.row import Row, percentiles
from tests.sandboxes import Recorder, job, sandbox_manager

_AGENT = Principal(name=Untrusted("agent"))
_ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
_DRAFT = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
_ROUNDS = 15
_CELLS = 6
_ONE = '{"python": "python"}'
"""The images of an engine that has one."""
_STEADY_SECONDS = 20
_ATTACHING_SECONDS = 0.2
"""How long after its request for the output a client surely follows it."""


async def rows() -> list[Row]:
    """Measure."""
    return [await _approved(), *await _through_the_door(), await _first_cell(), await _meters()]


async def _through_the_door() -> list[Row]:
    """Measure from the word of approval to the first byte, both at a client in another process.

    One asks for the output once its approval is answered, the other has asked before.
    """
    asking, following = [], []
    async with engine_of(PRATIQUE_SANDBOX__POOL="1", PRATIQUE_SANDBOX__IMAGES=_ONE) as (_, client):
        for _ in range(_ROUNDS):
            await stocked(client)
            asking.append(await _first_byte(client, _DRAFT))
            await stocked(client)
            following.append(await _followed_byte(client, _DRAFT))
    name = "approving -> first byte, at a client over the socket"
    return [_first_byte_row(name, asking), _first_byte_row(f"{name} that follows", following)]


def _first_byte_row(name: str, firsts: list[float]) -> Row:
    p50, p95, p99 = percentiles(firsts)
    target = "p50 15 ms, p99 50 ms"
    return Row(name, p50, p95, p99, "ms", None, None, target, p50 <= 15 and p99 <= 50)


async def _followed_byte(client: Client, draft: Draft) -> float:
    """Return the milliseconds from the approval to the first byte, at a client that waits for it already."""
    submission = (await client.submit(draft)).submission
    async with contextlib.aclosing(client.output(submission.id)) as chunks:
        first = asyncio.ensure_future(anext(chunks))
        await asyncio.sleep(_ATTACHING_SECONDS)
        begun = time.perf_counter()
        deciding = client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest, "to measure")
        answered = asyncio.ensure_future(deciding)
        await first
        taken = (time.perf_counter() - begun) * 1000
        await answered
    await client.case(submission.id, within=60)
    return taken


async def _first_cell() -> Row:
    """Measure the first cell of a notebook whose kernel waited ready, beside one whose did not."""
    ready, without = [await _cells(spare) for spare in (1, 0)]
    p50, p95, p99 = percentiles(ready)
    baseline = percentiles(without)[0]
    name = "first cell of a ready notebook kernel, approving -> first byte"
    return Row(name, p50, p95, p99, "ms", baseline, baseline / p50, "", None)


async def _cells(spare: int) -> list[float]:
    more = {"PRATIQUE_SANDBOX__POOL": "0", "PRATIQUE_SANDBOX__SESSION_POOL": str(spare)}
    firsts = []
    async with engine_of(**more) as (_, client):
        for _ in range(_CELLS):
            await stocked(client)
            sandbox = await client.sessions.create(Language.PYTHON)
            cell = _DRAFT.model_copy(update={"sandbox": sandbox.id})
            firsts.append(await _first_byte(client, cell))
            await client.sessions.close(sandbox.id)
    return firsts


async def _first_byte(client: Client, draft: Draft) -> float:
    """Return the milliseconds from the approval, as the client sends it, to the first byte that it gets."""
    submission = (await client.submit(draft)).submission
    begun = time.perf_counter()
    await client.decide(submission.id, DecisionOutcome.APPROVED, submission.digest, "to measure")
    async with contextlib.aclosing(client.output(submission.id)) as chunks:
        await anext(chunks)
    taken = (time.perf_counter() - begun) * 1000
    await client.case(submission.id, within=60)
    return taken


async def stocked(client: Client) -> None:
    """Wait until what should wait ready does."""
    while True:
        pools = [check for check in (await client.health()).checks if check.name.startswith("pool")]
        if not any(check.detail.text.startswith("0 of") for check in pools):
            break
        await asyncio.sleep(0.1)
    await asyncio.sleep(0.5)


async def _approved() -> Row:
    """Measure from the approval, which is on disk, to the first byte that a reader of the run gets."""
    firsts = []
    async with _engine() as engine:
        for _ in range(_ROUNDS):
            while not all(stock.ready for stock in engine.pool_status) or not engine.pool_status:
                await asyncio.sleep(0.1)
            await asyncio.sleep(0.3)
            case = await engine.submissions.submit(_DRAFT, _AGENT)
            id, digest = case.submission.id, case.submission.digest
            await engine.submissions.decide(id, _ADA, DecisionOutcome.APPROVED, digest)
            begun = time.perf_counter()
            async with contextlib.aclosing(engine.queries.output(id)) as chunks:
                await anext(chunks)
            firsts.append((time.perf_counter() - begun) * 1000)
            await engine.queries.finished(id)
    p50, p95, p99 = percentiles(firsts)
    target = "p50 10 ms, p99 50 ms"
    name = "approved -> first byte, through the engine and its history"
    return Row(name, p50, p95, p99, "ms", None, None, target, p50 <= 10 and p99 <= 50)


@contextlib.asynccontextmanager
async def _engine() -> AsyncIterator[Engine]:
    """Yield an engine with a history of its own, which keeps one Python sandbox ready."""
    with tempfile.TemporaryDirectory() as home:
        before, os.environ["PRATIQUE_HOME"] = os.environ.get("PRATIQUE_HOME"), home
        images = {"python": "python"}
        settings = Settings(
            sandbox=SandboxSettings(pool=1, images=images), policy=PolicySettings(require_full_review=False)
        )
        log = await SqliteHistoryStore.open(Path(home) / "pratique.db", settings.history)
        analysis_pool, sandboxes = (
            AnalysisPool(settings.analysis),
            sandbox_manager(settings.sandbox, f"bench-{os.getpid()}"),
        )
        try:
            async with Engine(settings, log, analysis_pool, sandboxes) as engine:
                await engine.health(settled_within=60)
                yield engine
        finally:
            await sandboxes.close()
            await analysis_pool.close()
            await log.close()
            os.environ.pop("PRATIQUE_HOME")
            if before is not None:
                os.environ["PRATIQUE_HOME"] = before


async def _meters() -> Row:
    metered = await _sleeping_share()
    often, metrics_sampler._SECONDS = metrics_sampler._SECONDS, 3600.0
    try:
        share = metered - await _sleeping_share()
    finally:
        metrics_sampler._SECONDS = often
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
    manager = sandbox_manager(SandboxSettings(pool=0), f"bench-{os.getpid()}")
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
