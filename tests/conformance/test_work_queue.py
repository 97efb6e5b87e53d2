"""Every work queue: exclusive claims, deadlines, quotas, leases, recovery and followers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, InProcessQueue, QueueFull, WorkQueue, open_entry
from engine.core.review.claims import Claims
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Case, Claim, OutputChunk, Principal, Role, Status
from engine.settings import HistorySettings, PolicySettings, ServerSettings
from tests.console.support.fake_engine import case

SECONDS = 10.0
ALICE = Untrusted("alice")
ADA, BOB = (Principal(name=Untrusted(name), roles=frozenset({Role.REVIEWER})) for name in ("ada", "bob"))
SETTINGS = ServerSettings(max_pending=4, max_pending_each=3, withdraw_seconds=0.05)

QueueMaker = Callable[[ServerSettings], WorkQueue]
IMPLEMENTATIONS: list[QueueMaker] = [InProcessQueue]


class Handler:
    """Notes what the queue reports."""

    def __init__(self) -> None:
        self.reports: asyncio.Queue[tuple[str, str]] = asyncio.Queue()

    async def expired(self, entry: ActiveSubmission) -> None:
        """Note a deadline."""
        self.reports.put_nowait(("expired", entry.id))

    async def abandoned(self, entry: ActiveSubmission) -> None:
        """Note a lease that ended."""
        self.reports.put_nowait(("abandoned", entry.id))


@pytest.fixture
def handler() -> Handler:
    """Return what takes the reports."""
    return Handler()


@pytest.fixture(params=IMPLEMENTATIONS, ids=lambda made: made.__name__)
async def queue(request: pytest.FixtureRequest, handler: Handler) -> AsyncIterator[WorkQueue]:
    """Yield a queue of each implementation, which watches."""
    queue: WorkQueue = request.param(SETTINGS)
    supervisor = Supervisor()
    async with asyncio.timeout(SECONDS):
        queue.start(supervisor, handler)
        yield queue
        queue.stop()
        await supervisor.close()


async def no_output(offset: int) -> Sequence[OutputChunk]:
    """Return what a run that never ran has said."""
    return ()


def added(queue: WorkQueue, id: str, requester: Untrusted = ALICE) -> ActiveSubmission:
    """Add a pending submission."""
    made = case(id, "print(1)\n")
    by = Principal(name=requester)
    changed = made.model_copy(
        update={"submission": made.submission.model_copy(update={"requester": by}), "status": Status.PENDING}
    )
    return queue.add(changed, no_output)


def denied(case: Case) -> Case:
    """Return a case that is decided."""
    return case.model_copy(update={"status": Status.DENIED})


async def test_one_of_twenty_concurrent_deciders_decides(queue: WorkQueue) -> None:
    """Whoever holds a submission is alone with it: the others find it decided."""
    entry = added(queue, "s-1")
    made: list[int] = []

    async def decide(number: int) -> None:
        async with queue.exclusive(entry):
            if entry.case.status is Status.PENDING:
                await asyncio.sleep(0)
                queue.update(entry, denied(entry.case))
                made.append(number)

    await asyncio.gather(*(decide(number) for number in range(20)))
    assert 1 == len(made)
    assert Status.DENIED is entry.case.status


async def test_a_deadline_is_reported_once(queue: WorkQueue, handler: Handler) -> None:
    """A deadline that is set again replaces the one before."""
    entry = added(queue, "s-1")
    for _ in range(3):
        queue.expire_after(entry, 0.01)
    assert ("expired", "s-1") == await handler.reports.get()
    queue.expire_after(added(queue, "s-2"), 0.02)
    assert ("expired", "s-2") == await handler.reports.get()
    assert handler.reports.empty()


@pytest.mark.parametrize("how", ["decided", "closed", "stopped"])
async def test_a_deadline_is_not_reported_after_the_end(queue: WorkQueue, handler: Handler, how: str) -> None:
    """A decision, the end of a submission or of the engine cancels it; a claim does not."""
    entry = added(queue, "s-1")
    queue.expire_after(entry, 0.01)
    if how == "decided":
        queue.update(entry, denied(entry.case))
    elif how == "closed":
        queue.close(entry)
    else:
        queue.stop()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await handler.reports.get()


async def test_a_claim_does_not_stop_the_deadline(queue: WorkQueue, handler: Handler) -> None:
    """A submission that is claimed expires all the same."""
    entry = added(queue, "s-1")
    queue.expire_after(entry, 0.01)
    claim = Claim(by=ADA.name, until=datetime.now(UTC) + timedelta(minutes=1))
    queue.update(entry, entry.case.with_claim(claim))
    assert ("expired", "s-1") == await handler.reports.get()


async def test_a_claim_is_exclusive_and_lapses(queue: WorkQueue, tmp_path: Path) -> None:
    """One of two reviewers gets it; once it has lapsed, the other one does."""
    added(queue, "s-1")
    log = await SqliteHistoryStore.open(tmp_path / "history.db", HistorySettings())
    try:
        events = EventBus(log, queue, Supervisor())
        claims = [
            Claims(events, queue, PolicySettings(claim_seconds=60)).claim("s-1", by) for by in (ADA, BOB)
        ]
        outcomes = await asyncio.gather(*claims, return_exceptions=True)
        assert [Case, Problem] == sorted((type(one) for one in outcomes), key=lambda type: type.__name__)
        entry = open_entry(queue, "s-1")
        assert entry.case.claim is not None
        past = entry.case.claim.model_copy(update={"until": datetime.now(UTC)})
        queue.update(entry, entry.case.with_claim(past))
        other = BOB if past.by == ADA.name else ADA
        taken = await Claims(events, queue, PolicySettings(claim_seconds=60)).claim("s-1", other)
        assert taken.claim is not None
        assert other.name == taken.claim.by
    finally:
        await log.close()


async def test_a_submission_is_abandoned_when_its_last_lease_ends(queue: WorkQueue, handler: Handler) -> None:
    """While one of its clients is connected it stays; one that comes back in time keeps it."""
    added(queue, "s-1")
    async with queue.connected("one"):
        async with queue.connected("two"):
            queue.lease("one", "s-1")
            queue.lease("two", "s-1")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.15):
                await handler.reports.get()
    async with queue.connected("one"):
        assert handler.reports.empty()
    assert ("abandoned", "s-1") == await handler.reports.get()


async def test_what_waits_again_is_held_by_whom_held_it_before(queue: WorkQueue, handler: Handler) -> None:
    """It stays while that client is connected, and is abandoned once it is gone."""
    old = added(queue, "s-1")
    async with queue.connected("one"):
        queue.lease("one", "s-1")
        queue.update(old, old.case.model_copy(update={"status": Status.EXPIRED}))
        queue.close(old)
        added(queue, "s-2")
        queue.pass_leases_on("s-1", "s-2")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.15):
                await handler.reports.get()
    assert ("abandoned", "s-2") == await handler.reports.get()


async def test_what_waits_again_is_abandoned_where_nobody_comes_back(
    queue: WorkQueue, handler: Handler
) -> None:
    """Its client was gone before: it has the grace to come back, and no more."""
    old = added(queue, "s-1")
    async with queue.connected("one"):
        queue.lease("one", "s-1")
    queue.update(old, old.case.model_copy(update={"status": Status.EXPIRED}))
    queue.close(old)
    added(queue, "s-2")
    queue.pass_leases_on("s-1", "s-2")
    assert ("abandoned", "s-2") == await handler.reports.get()


async def test_a_decided_submission_is_not_abandoned(queue: WorkQueue, handler: Handler) -> None:
    """What was approved runs to its end, whoever is gone."""
    entry = added(queue, "s-1")
    queue.lease("one", "s-1")
    queue.update(entry, entry.case.model_copy(update={"status": Status.RUNNING}))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.15):
            await handler.reports.get()


async def test_quotas_hold_for_each_requester_and_in_all(queue: WorkQueue) -> None:
    """Reservations count like submissions; what is given back is free again."""
    for number in range(2):
        added(queue, f"s-{number}")
    async with queue.reserve(Principal(name=ALICE)):
        with pytest.raises(QueueFull, match="3 submissions of yours"):
            await queue.reserve(Principal(name=ALICE)).__aenter__()
        async with queue.reserve(Principal(name=Untrusted("bob"))):
            with pytest.raises(QueueFull, match="4 submissions wait or run already"):
                await queue.reserve(Principal(name=Untrusted("carol"))).__aenter__()
    async with queue.reserve(Principal(name=ALICE)), queue.reserve(Principal(name=Untrusted("bob"))):
        assert 2 == len(queue)


@pytest.mark.parametrize("made", IMPLEMENTATIONS, ids=lambda made: made.__name__)
async def test_a_later_engine_finds_what_was_open(queue: WorkQueue, made: QueueMaker) -> None:
    """What one queue still lists can be opened by the next; what was closed is gone."""
    entries = [added(queue, f"s-{number}") for number in range(3)]
    queue.close(entries[1])
    queue.stop()
    later = made(SETTINGS)
    for entry in queue:
        later.add(entry.case, no_output)
    assert ["s-0", "s-2"] == [entry.id for entry in later]
    assert (2, None) == (later.pending, later.find("s-1"))


async def test_the_end_of_a_submission_wakes_all_who_wait_for_it(queue: WorkQueue) -> None:
    """Closing it ends its readers and everybody who waits."""
    entry = added(queue, "s-1")
    waiting = [asyncio.create_task(queue.wait_closed(entry)) for _ in range(5)]
    await asyncio.sleep(0)
    assert not any(task.done() for task in waiting)
    queue.close(entry)
    await asyncio.gather(*waiting)
    assert [] == [chunk async for chunk in entry.stream.output()]


async def test_followers_see_every_event_in_order(queue: WorkQueue, tmp_path: Path) -> None:
    """Each of several followers gets each event once, whenever it began."""
    log = await SqliteHistoryStore.open(tmp_path / "history.db", HistorySettings())
    try:
        events = EventBus(log, queue, Supervisor())

        async def follow() -> list[int]:
            found: list[int] = []
            async for event in events.follow(0):
                found.append(event.seq)
                if len(found) == 20:
                    break
            return found

        early = [asyncio.create_task(follow()) for _ in range(3)]
        for _ in range(20):
            await events.record("engine.started")
        results = await asyncio.gather(*early, follow())
        assert [list(range(1, 21))] * 4 == results
    finally:
        await log.close()
