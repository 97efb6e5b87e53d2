"""Rescans apply today's analysis and policy to stored code; they are stopped, resumed, and searched for."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.rescans.patience import LONGEST_WAIT, QUIET_SECONDS, seconds_left
from engine.core.rescans.rescanner import Rescanned
from engine.models import Draft, Language, Level, Principal, Role
from engine.models.history import Total
from engine.models.rescan import Rescan, RescanOutcome, RescanRequest, RescanState
from tests.engine.core.conftest import EngineMaker
from tests.engine.core.test_incidents import found

REVIEWER = Principal(name=Untrusted("alice"), roles=frozenset({Role.REVIEWER}))
AUDITOR = Principal(name=Untrusted("eve"), roles=frozenset({Role.AUDITOR}))
AGENT = Principal(name=Untrusted("agent-7"), roles=frozenset({Role.REQUESTER}))


async def submitted(engine: Engine, number: int) -> str:
    """Return the ID of a submission that deletes a file."""
    code = f"import os\nos.remove('{number}')\n"
    case = await engine.submissions.submit(Draft(code=Untrusted(code), language=Language.PYTHON), AGENT)
    return case.submission.id


async def ended(engine: Engine, id: str) -> Rescan:
    """Return a rescan once it does not go on."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rescan = next(one for one in engine.rescans.listed() if one.id == id)
        if rescan.state is not RescanState.RUNNING:
            return rescan
        await asyncio.sleep(0.05)
    raise TimeoutError


async def test_the_same_rules_say_the_same(engine_with: EngineMaker, no_docker: None) -> None:
    """Under the same analysis and policy nothing is recorded of any submission, and all are counted."""
    async with engine_with() as engine:
        ids = [await submitted(engine, number) for number in range(3)]
        rescan = await ended(engine, (await engine.rescans.begin(RescanRequest(share=1), REVIEWER)).id)
        trail = await engine.queries.trail(ids[0])
    assert (RescanState.FINISHED, 3, {RescanOutcome.SAME: 3}) == (rescan.state, rescan.done, rescan.counts)
    assert "submission.rescanned" not in {event.type for event in trail}


async def test_one_rescan_goes_on_at_a_time_and_by_reviewers(
    engine_with: EngineMaker, no_docker: None
) -> None:
    """An auditor starts none; a second is refused; what was stopped cannot be stopped again."""
    async with engine_with() as engine:
        for number in range(3):
            await submitted(engine, number)
        await asyncio.sleep(1.1)
        with pytest.raises(Problem):
            await engine.rescans.begin(RescanRequest(), AUDITOR)
        first = await engine.rescans.begin(RescanRequest(share=0.01), REVIEWER)
        with pytest.raises(Problem):
            await engine.rescans.begin(RescanRequest(), REVIEWER)
        assert RescanState.STOPPED is (await engine.rescans.stop(first.id, REVIEWER)).state
        with pytest.raises(Problem):
            await engine.rescans.stop(first.id, REVIEWER)


async def test_a_rescan_goes_on_after_a_restart(engine_with: EngineMaker, no_docker: None) -> None:
    """An engine that stops amid a rescan finishes it when it starts again, and counts each one once."""
    async with engine_with() as engine:
        for number in range(3):
            await submitted(engine, number)
        await asyncio.sleep(1.1)
        id = (await engine.rescans.begin(RescanRequest(share=0.01), REVIEWER)).id
    async with engine_with() as engine:
        rescan = await ended(engine, id)
    assert (RescanState.FINISHED, 3) == (rescan.state, rescan.done)


async def test_what_is_worse_today_is_found(engine_with: EngineMaker, no_docker: None) -> None:
    """A record that is worse is found by rescan:worse, by its risk and rule; a later `same` takes it back."""
    async with engine_with() as engine:
        id = await submitted(engine, 1)
        worse = Rescanned(id, RescanOutcome.WORSE, Level.CRITICAL, Level.LOW, ("py-new",))
        await engine.rescans._found("x-1", worse)
        query = "rescan:worse rescan.risk:critical rescan.rule:py-new rescan.id:x-1"
        assert (id,) == await found(engine, query, 1)
        same = Rescanned(id, RescanOutcome.SAME, Level.LOW, Level.LOW, (), known=True)
        await engine.rescans._found("x-2", same)
        assert () == await found(engine, "rescan:worse", 0)


def test_progress_counts_what_has_no_code_apart() -> None:
    """One without code is done and skipped, and is no outcome."""
    begun = Rescan(
        id="x-1", request=RescanRequest(), by=Untrusted("alice"), at=datetime.now(UTC), policy="0",
        total=Total(count=2, exact=True),
    )  # fmt: skip
    after = begun.counting("s-1", None).counting("s-2", RescanOutcome.WORSE)
    assert (2, 1, {RescanOutcome.WORSE: 1}, "s-2") == (after.done, after.skipped, after.counts, after.last)


@pytest.mark.parametrize(
    ("expected", "now", "last"),
    [
        (QUIET_SECONDS, 100.0, 100.0),
        (0.0, 100.0 + QUIET_SECONDS, 100.0),
        (0.0, 100.0 + LONGEST_WAIT, 100.0 + LONGEST_WAIT),
        (0.0, 100.0, 0.0),
    ],
)
def test_others_go_first_for_a_while(expected: float, now: float, last: float) -> None:
    """A rescan that began to wait at 100 waits for a moment without others, and never for ever."""
    assert expected == pytest.approx(seconds_left(now, 100.0, last))
