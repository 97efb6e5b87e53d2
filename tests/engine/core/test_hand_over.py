"""An approved run that its engine has no place for starts at another one, once, or at home when it can."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from datetime import timedelta
from pathlib import Path

import pytest

from engine.analysis_pool import AnalysisPool
from engine.core.engines import hand_over
from engine.history.search.sentences import sentence
from engine.models import Case, KillReason, Status
from engine.settings import AnalysisSettings
from tests.engine.core import claiming_engine
from tests.engine.core.claiming_engine import MOMENTS
from tests.engine.core.several_engines import OneOfSeveral, started
from tests.engine.core.test_several_engines import ADA, APPROVED, SECONDS, decided, known, submitted, until
from tests.engine.history.postgres.several_engines import database_of

LOST = KillReason.INTERRUPTED


class Cluster:
    """Engines with one place each, over one database."""

    def __init__(self, folder: Path, closing: AsyncExitStack, pool: AnalysisPool) -> None:
        self._folder, self._closing, self._pool = folder, closing, pool
        self.url = database_of(folder)

    async def start(self, name: str, **options: str) -> OneOfSeveral:
        """Start an engine until the end of the test."""
        return await self._closing.enter_async_context(self.started(name, **options))

    def started(self, name: str, **options: str) -> AbstractAsyncContextManager[OneOfSeveral]:
        """Start an engine for the time of a block."""
        return started(self.url, self._folder, name, self._pool, concurrent=1, **options)


@pytest.fixture
async def cluster(tmp_path: Path) -> AsyncIterator[Cluster]:
    """Yield what starts engines."""
    pool = AnalysisPool(AnalysisSettings())
    async with AsyncExitStack() as closing, asyncio.timeout(SECONDS):
        closing.push_async_callback(pool.close)
        yield Cluster(tmp_path, closing, pool)


async def approved(one: OneOfSeveral, code: str) -> Case:
    """Submit code, and approve it."""
    return await decided(one.engine, await submitted(one.engine, code), APPROVED)


async def full(one: OneOfSeveral, code: str = "wait = 0") -> Case:
    """Let a run take the only place of an engine."""
    case = await approved(one, code)
    await known(one.engine, case.submission.id, Status.RUNNING)
    return case


async def ended(one: OneOfSeveral, case: Case) -> Case:
    """Kill a run, and return its case."""
    await one.engine.runs.kill(case.submission.id, ADA)
    return await one.engine.queries.finished(case.submission.id)


async def offered(one: OneOfSeveral, case: Case) -> None:
    """Wait until a run is offered to all engines."""
    assert one.log.engines
    while case.submission.id not in await one.log.engines.offered():
        await asyncio.sleep(0.01)


async def test_a_run_goes_to_the_engine_that_has_a_place(cluster: Cluster) -> None:
    """The first engine, which is full, approves; the second one runs, and a console on the first sees it."""
    one, other = await cluster.start("a"), await cluster.start("b")
    busy = await full(one)
    case = await approved(one, "wait = 1")
    id = case.submission.id
    await known(one.engine, id, Status.RUNNING)
    assert [0, 1] == [each.machine.executed[b"wait = 1"] for each in (one, other)]
    async with aclosing(one.engine.queries.output(id)) as output:
        assert b"up\n" == (await anext(output)).data
    await one.engine.runs.pause(id, ADA)
    assert [True] == [guest.paused for guest in other.machine.alive.values()]
    await one.engine.runs.resume(id, ADA)
    assert [False] == [guest.paused for guest in other.machine.alive.values()]
    several = one.engine.several
    await until(lambda: several and several.checks()[0].detail.text.endswith("; runs: 1 at a, 1 at b"))
    over = await ended(one, case)
    assert KillReason.OPERATOR is (over.result and over.result.kill_reason)
    trail = await one.engine.queries.trail(id)
    assert ["the run started: b"] == [sentence(event) for event in trail if event.type == "run.started"]
    await ended(other, busy)
    assert (await one.engine.queries.verify()).intact


async def test_a_run_that_nobody_can_take_starts_at_home(cluster: Cluster) -> None:
    """While both engines are full it waits; the place that becomes free is at home."""
    one, other = await cluster.start("a"), await cluster.start("b")
    busy = await full(one)
    await full(other, "wait = 2")
    case = await approved(one, "print(3)")
    await offered(one, case)
    await ended(one, busy)
    over = await one.engine.queries.finished(case.submission.id)
    assert Status.FINISHED is over.status
    assert [1, 0] == [each.machine.executed[b"print(3)"] for each in (one, other)]


async def test_an_engine_with_another_image_leaves_it(cluster: Cluster) -> None:
    """What was approved for one image runs in that one, at home."""
    one = await cluster.start("a")
    other = await cluster.start("b", image=f"sha256:{'b' * 64}")
    busy = await full(one)
    case = await approved(one, "print(3)")
    await offered(one, case)
    assert other.engine.several
    await known(other.engine, case.submission.id, Status.QUEUED)
    await other.engine.several._hand_over.look()
    await ended(one, busy)
    assert Status.FINISHED is (await one.engine.queries.finished(case.submission.id)).status
    assert [1, 0] == [each.machine.executed[b"print(3)"] for each in (one, other)]


async def test_an_engine_that_drains_finishes_its_run_and_starts_no_other(cluster: Cluster) -> None:
    """What is approved there, or anywhere, runs at the other one, although there is a place."""
    one, other = await cluster.start("a"), await cluster.start("b")
    busy = await full(one)
    one.engine.runs.drain()
    assert (1, 0) == (one.engine.queries.running_here, other.engine.queries.running_here)
    await ended(one, busy)
    for each in (one, other):
        case = await approved(each, "print(3)")
        assert Status.FINISHED is (await one.engine.queries.finished(case.submission.id)).status
    assert [0, 2] == [each.machine.executed[b"print(3)"] for each in (one, other)]
    assert 0 == one.engine.queries.running_here


async def test_an_engine_that_stops_leaves_what_waits_to_the_others(cluster: Cluster) -> None:
    """Approved at an engine that has stopped since, a run starts at the other one once it has a place."""
    other = await cluster.start("b")
    busy = await full(other)
    async with cluster.started("a") as one:
        await full(one, "wait = 2")
        case = await approved(one, "print(3)")
        await offered(one, case)
    await known(other.engine, case.submission.id, Status.QUEUED)
    await ended(other, busy)
    over = await other.engine.queries.finished(case.submission.id)
    assert (Status.FINISHED, 1) == (over.status, other.machine.executed[b"print(3)"])


async def test_an_engine_that_stops_leaves_what_has_not_started_to_the_others(cluster: Cluster) -> None:
    """Its sandbox was being made at the engine that stops: it runs at the other one, once."""
    other = await cluster.start("b")
    async with cluster.started("a") as one:
        one.machine.creates = False
        case = await approved(one, "print(3)")
        await until(lambda: one.machine.creating)
    over = await other.engine.queries.finished(case.submission.id)
    assert (Status.FINISHED, 0) == (over.status, over.result and over.result.exit_code)
    assert [0, 1] == [each.machine.executed[b"print(3)"] for each in (one, other)]


async def test_an_engine_that_stops_interrupts_what_has_started(cluster: Cluster) -> None:
    """Its code ran here: no other engine runs it again."""
    other = await cluster.start("b")
    async with cluster.started("a") as one:
        case = await full(one)
    over = await other.engine.queries.finished(case.submission.id)
    assert LOST is (over.result and over.result.kill_reason)
    assert [1, 0] == [each.machine.executed[b"wait = 0"] for each in (one, other)]


async def test_many_runs_are_shared_out_and_each_runs_once(cluster: Cluster) -> None:
    """Of forty that one engine approves both run some, and each is run once."""
    both = await cluster.start("a"), await cluster.start("b")
    cases = [await approved(both[0], f"print({number})") for number in range(40)]
    ends = [await both[0].engine.queries.finished(case.submission.id) for case in cases]
    assert {Status.FINISHED} == {over.status for over in ends}
    ran = [each.machine.executed for each in both]
    assert all(ran)
    assert {1} == {sum(one[f"print({number})".encode()] for one in ran) for number in range(40)}
    assert (await both[0].engine.queries.verify()).intact


async def test_an_engine_that_believes_a_run_is_its_own_neither_starts_nor_ends_it(
    cluster: Cluster, caplog: pytest.LogCaptureFixture
) -> None:
    """What another engine has started since, the history lets nobody else start or end: no fault."""
    one, other = await cluster.start("a"), await cluster.start("b")
    case = await full(one, "wait = 1")
    id = case.submission.id
    await known(other.engine, id, Status.RUNNING)
    entry = other.engine.work_queue.find(id)
    assert entry
    assert entry.version
    entry.case, entry.version = case, entry.version - 1
    other.engine.runs.run_here(entry)
    await until(lambda: not entry.is_here)
    assert [1, 0] == [each.machine.executed[b"wait = 1"] for each in (one, other)]
    over = await ended(one, case)
    assert KillReason.OPERATOR is (over.result and over.result.kill_reason)
    types = Counter(event.type for event in await one.engine.queries.trail(id))
    assert (1, 1) == (types["run.started"], types["run.ended"])
    assert "internal.error" not in caplog.messages


async def test_what_no_engine_starts_for_an_hour_is_closed(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says so, and its code never starts."""
    one = await cluster.start("a")
    busy = await full(one)
    case = await approved(one, "print(3)")
    await offered(one, case)
    monkeypatch.setattr(hand_over, "OFFERED", timedelta(0))
    await ended(one, busy)
    over = await one.engine.queries.finished(case.submission.id)
    assert over.result
    assert (KillReason.INTERRUPTED, (hand_over.TOO_LATE,)) == (over.result.kill_reason, over.result.evidence)
    assert 0 == one.machine.executed[b"print(3)"]


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_run_is_never_run_twice_whenever_the_engine_that_claims_it_is_killed(
    cluster: Cluster, tmp_path: Path, moment: str
) -> None:
    """Killed before its claim, the run starts at home; later it is closed, once, with what was captured."""
    one = await cluster.start("a")
    busy = await full(one)
    command = [sys.executable, "-m", claiming_engine.__name__, cluster.url, str(tmp_path), moment]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    assert b"up\n" == await process.stdout.readline()
    case = await approved(one, "print(3)")
    said = (await process.stdout.read()).splitlines()
    assert -signal.SIGKILL == await process.wait()
    await ended(one, busy)
    over = await one.engine.queries.finished(case.submission.id)
    types = Counter(event.type for event in await one.engine.queries.trail(case.submission.id))
    starts = one.machine.executed[b"print(3)"] + said.count(b"x print(3)")
    assert (1, starts) == (types["run.ended"], types["run.started"])
    reason = over.result and over.result.kill_reason
    possible = {"before": [(1, KillReason.NONE)], "claimed": [(0, LOST)], "started": [(1, LOST)]}
    assert (starts, reason) in possible.get(moment, [(1, KillReason.NONE), (0, LOST)])
    assert (await one.engine.queries.verify()).intact
