"""What expired waits again once, and an engine that ended in the middle of that takes nothing away."""

from __future__ import annotations

import asyncio

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import Draft, Language, Principal, Role, Status
from tests.engine.core.conftest import EngineMaker

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
SECONDS = 60.0


async def expired(engine: Engine) -> str:
    """Return the id of a submission that nobody decided about."""
    draft = Draft(code=Untrusted("import os\nprint(os.environ)\n"), language=Language.PYTHON)
    id = (await engine.intake.submit(draft, AGENT)).submission.id
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
