"""What expired waits again once, and an engine that ended in the middle of that takes nothing away."""

from __future__ import annotations

import asyncio

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.submissions.recorded_leases import recorded_leases
from engine.models import WITHDRAWN, Draft, Language, Principal, Role, Status
from engine.settings import ServerSettings
from tests.engine.core.conftest import EngineMaker

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
SECONDS = 60.0
DRAFT = Draft(code=Untrusted("import os\nprint(os.environ)\n"), language=Language.PYTHON)


async def expired(engine: Engine, lease: str = "") -> str:
    """Return the id of a submission that nobody decided about."""
    id = (await engine.intake.submit(DRAFT, AGENT, lease=lease)).submission.id
    entry = engine.work_queue.find(id)
    assert entry is not None
    await engine.submissions.expired(entry)
    return id


async def half_revived(engine: Engine, new: str) -> str:
    """Return the id of a submission whose revival was recorded, and no more than that."""
    id = await expired(engine)
    linked = (await engine.queries.case(id)).with_revival(new)
    await engine._events.record("submission.revived", id, ADA.name, data={"revived_as": new}, case=linked)
    return id


async def test_a_revival_that_a_crash_cut_off_is_finished(engine_with: EngineMaker) -> None:
    """The next engine lists it among what expired, and lets it wait under the id that was recorded."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        id = await half_revived(engine, "s-new")
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        assert [id] == [each.summary.id for each in await engine.queue_listing.expired()]
        new = await engine.revivals.revive(id, ADA)
        assert ("s-new", id, Status.PENDING) == (new.submission.id, new.submission.revives, new.status)
        assert () == await engine.queue_listing.expired()
        types = [event.type for event in await engine.queries.trail(id)]
        assert 1 == types.count("submission.revived")
        assert (await engine.queries.verify()).intact


async def test_what_was_revived_and_is_over_is_not_revived_again(engine_with: EngineMaker) -> None:
    """A revival that was finished stays the only one, also after another start."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        id = await expired(engine)
        new = (await engine.revivals.revive(id, ADA)).submission.id
        entry = engine.work_queue.find(new)
        assert entry is not None
        await engine.submissions.expired(entry)
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        with pytest.raises(Problem, match=f"was revived as {new}"):
            await engine.revivals.revive(id, ADA)
        assert [new] == [each.summary.id for each in await engine.queue_listing.expired()]


async def test_who_waited_before_a_restart_holds_what_is_revived_after_it(engine_with: EngineMaker) -> None:
    """While that client is connected it waits, and it is withdrawn once the client is gone, each time."""
    server = ServerSettings(withdraw_seconds=0.01)
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        id = await expired(engine, "one")
    async with engine_with() as engine, asyncio.timeout(SECONDS), engine.work_queue.connected("one"):
        again = (await engine.revivals.revive(id, ADA)).submission.id
        entry = engine.work_queue.find(again)
        assert entry is not None
        await engine.submissions.expired(entry)
    async with engine_with(server=server) as engine, asyncio.timeout(SECONDS):
        async with engine.work_queue.connected("one"):
            last = (await engine.revivals.revive(again, ADA)).submission.id
            entry = engine.work_queue.find(last)
            assert entry is not None
            assert Status.PENDING is entry.case.status
        await engine.work_queue.wait_closed(entry)
        decision = (await engine.queries.case(last)).decision
        assert decision is not None
        assert WITHDRAWN == decision.reason.text


async def test_who_joined_holds_what_is_revived_too(engine_with: EngineMaker) -> None:
    """Nobody came back after the restart: it has the grace of an ordinary one, and is withdrawn."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        await engine.intake.submit(DRAFT, AGENT, join=True)
        joined = (await engine.intake.submit(DRAFT, AGENT, join=True, lease="two")).submission.id
        entry = engine.work_queue.find(joined)
        assert entry is not None
        await engine.submissions.expired(entry)
    async with engine_with(server=ServerSettings(withdraw_seconds=0.01)) as engine, asyncio.timeout(SECONDS):
        new = (await engine.revivals.revive(joined, ADA)).submission.id
        entry = engine.work_queue.find(new)
        if entry is not None:
            await engine.work_queue.wait_closed(entry)
        assert Status.DENIED is (await engine.queries.case(new)).status


async def test_a_request_that_comes_again_under_its_key_holds_what_is_revived_too(
    engine_with: EngineMaker,
) -> None:
    """With a lease of its own, which is recorded once; nobody came back after the restart."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        first = await engine.intake.submit(DRAFT, AGENT, key="k", lease="one")
        id = first.submission.id
        for _ in range(2):
            again = await engine.intake.submit(DRAFT, AGENT, key="k", lease="two")
            assert id == again.submission.id
        types = [event.type for event in await engine.queries.trail(id)]
        assert 1 == types.count("submission.joined")
        entry = engine.work_queue.find(id)
        assert entry is not None
        await engine.submissions.expired(entry)
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        assert ("one", "two") == await recorded_leases(engine._events, id)
