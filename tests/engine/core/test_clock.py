"""A clock that jumps."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, tzinfo

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.queue import in_process, open_entry
from engine.core.review import decisions
from engine.core.submissions import service
from engine.models import DecisionOutcome, Draft, Language, Principal, Role, Status
from tests.engine.core.conftest import EngineMaker

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
SECONDS = 30

pytestmark = pytest.mark.usefixtures("no_docker")


async def left_waiting(engine: Engine, **changes: datetime) -> str:
    """Submit code, change the times that are stored of it, and return its id."""
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
    case = await engine.submissions.submit(draft, AGENT)
    submission = case.submission
    if at := changes.get("submitted_at"):
        another = submission.id[:-1] + ("1" if submission.id.endswith("0") else "0")
        submission = submission.model_copy(update={"submitted_at": at, "id": another})
    stored = case.model_copy(
        update={"submission": submission, "deadline": changes.get("deadline", case.deadline)}
    )
    await engine._events.record("claim.released", submission.id, case=stored)
    return submission.id


async def test_a_clock_that_went_back_revives_nothing(engine_with: EngineMaker) -> None:
    """An engine that starts before the time of a submission lets it expire."""
    later = datetime.now(UTC) + timedelta(days=1)
    async with engine_with() as engine:
        id = await left_waiting(engine, submitted_at=later, deadline=later + timedelta(seconds=60))
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        assert Status.EXPIRED is (await engine.queries.finished(id)).status


async def test_a_deadline_that_passed_meanwhile_is_over(engine_with: EngineMaker) -> None:
    """What was past its deadline while no engine ran expires at the start, and is not decided."""
    async with engine_with() as engine:
        id = await left_waiting(engine, deadline=datetime.now(UTC) - timedelta(seconds=1))
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case = await engine.queries.case(id)
        with pytest.raises(Problem):
            await engine.submissions.decide(id, ADA, DecisionOutcome.APPROVED, case.submission.digest)
        assert Status.EXPIRED is (await engine.queries.finished(id)).status


class _Jumping(datetime):
    """A time of day that somebody sets."""

    jump = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """Return the time of day after the jump."""
        return datetime.now(tz) + cls.jump


JUMPS = [timedelta(days=days) for days in (-3650, -1, 1, 3650)]


@pytest.mark.parametrize("jump", JUMPS, ids=str)
async def test_a_deadline_follows_no_clock_that_is_set(
    engine_with: EngineMaker, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    """After any jump a pending submission can be decided, and one whose time is over expires."""
    deadlines = {"medium": 60.0, "high": 60.0, "critical": 60.0}
    async with engine_with(policy={"deadlines": deadlines}) as engine, asyncio.timeout(SECONDS):
        draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON)
        case = await engine.submissions.submit(draft, AGENT)
        late = await engine.submissions.submit(draft.model_copy(update={"code": Untrusted("x = 1")}), AGENT)
        engine.work_queue.expire_after(open_entry(engine.work_queue, late.submission.id), 0.1)
        monkeypatch.setattr(_Jumping, "jump", jump)
        for module in (decisions, in_process, service):
            monkeypatch.setattr(module, "datetime", _Jumping)
        id, digest = case.submission.id, case.submission.digest
        denied = await engine.submissions.decide(id, ADA, DecisionOutcome.DENIED, digest)
        assert Status.DENIED is denied.status
        assert Status.EXPIRED is (await engine.queries.finished(late.submission.id)).status
