"""A clock that jumps."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
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
        submission = submission.model_copy(update={"submitted_at": at})
    stored = case.model_copy(
        update={"submission": submission, "deadline": changes.get("deadline", case.deadline)}
    )
    data: dict[str, Any] = {"risk": case.assessment.risk.value, "rules": []}
    await engine._events.record("submission.assessed", submission.id, data=data, case=stored)
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
