"""Figures of a period are the same whatever the database that counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine.history.store.sql.search import trends as counted
from engine.models import Case, KillReason, Level, Status
from tests.conformance.history_stores import STORES, Implementation, opened, record
from tests.engine.history.conftest import build_case

NOW = datetime.now(UTC)
WEEK = timedelta(days=7)


@pytest.fixture(params=STORES)
def implementation(request: pytest.FixtureRequest) -> Implementation:
    """Return each implementation in turn."""
    return STORES[request.param]


def some_cases() -> Iterator[Case]:
    """Yield ten runs that bob approved, three of them killed for memory, one that expired, and an old one."""
    for number in range(10):
        reason = KillReason.MEMORY if number < 3 else KillReason.NONE
        yield build_case(
            f"k{number}",
            status=Status.KILLED,
            reviewer="bob",
            requester="busy",
            submitted_at=NOW,
            kill_reason=reason,
        )
    yield build_case("x", status=Status.EXPIRED, reviewer="nobody", submitted_at=NOW, risk=Level.HIGH)
    yield build_case("old", submitted_at=NOW - timedelta(days=9))


async def test_figures_of_a_week(implementation: Implementation, tmp_path: Path) -> None:
    """Shares, times and kills are those of the cases since then, and too many memory kills are an alert."""
    async with opened(implementation, tmp_path) as store:
        for case in some_cases():
            await record(store, case)
        trends = await store.read.trends(NOW - WEEK)
        assert (10, 3) == await store.read.memory_kills(NOW - WEEK)
    assert (11, 10, 0.3, True) == (trends.submissions, trends.runs, trends.memory_share, trends.memory_alert)
    assert {f"{NOW:%Y-%m-%dT%H}": {"memory": 3}} == trends.kills_by_hour
    assert 1 / 11 == trends.expired_share
    assert 1.0 == trends.hasty_share
    assert {"busy": 10, "agent": 1} == trends.busiest
    assert (10, 0.0) == (trends.decision_seconds[Level.LOW].count, trends.decision_seconds[Level.LOW].p95)


async def test_figures_of_nothing(implementation: Implementation, tmp_path: Path) -> None:
    """A history without cases has no figures, and no division by zero."""
    async with opened(implementation, tmp_path) as store:
        trends = await store.read.trends(NOW)
        assert (0, 0) == await store.read.memory_kills(NOW)
    assert (0, 0, 0.0, False) == (trends.submissions, trends.runs, trends.memory_share, trends.memory_alert)


async def test_figures_of_any_cases(implementation: Implementation, tmp_path: Path) -> None:
    """The database counts what counting one case after the other counts; drills are left out."""
    cases = list(_any_cases(Random(5), 60))  # noqa: S311  no secret
    async with opened(implementation, tmp_path) as store:
        for case in cases:
            await record(store, case)
        trends = await store.read.trends(NOW - WEEK)
    recent = [
        one for one in cases if one.submission.submitted_at >= NOW - WEEK and one.status is not Status.DRILL
    ]
    killed = Counter(one.result.kill_reason for one in recent if one.result)
    assert (len(recent), killed.total()) == (trends.submissions, trends.runs)
    assert killed - Counter({KillReason.NONE: 99}) == sum(
        map(Counter, trends.kills_by_hour.values()), Counter()
    )
    assert Counter(one.submission.requester.name.text for one in recent) == trends.busiest
    by_people = Counter(
        one.assessment.risk for one in recent if one.decision and one.decision.by.name.text == "bob"
    )
    assert by_people == {level: times.count for level, times in trends.decision_seconds.items()}


async def test_no_more_than_the_newest_cases_are_counted(
    implementation: Implementation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A period with millions of cases has figures, too."""
    monkeypatch.setattr(counted, "MOST", 4)
    async with opened(implementation, tmp_path) as store:
        for case in some_cases():
            await record(store, case)
        assert 4 == (await store.read.trends(NOW - timedelta(days=30))).submissions


def _any_cases(random: Random, count: int) -> Iterator[Case]:
    for number in range(count):
        result: dict[str, Any] = {"kill_reason": random.choice(list(KillReason))}
        yield build_case(
            f"c{number}",
            status=random.choice(list(Status)),
            risk=random.choice(list(Level)),
            requester=random.choice(["a", "b"]),
            reviewer=random.choice(["", "policy", "nobody", "bob"]),
            submitted_at=NOW - timedelta(hours=random.randrange(14 * 24)),
            **(result if random.random() < 0.5 else {}),
        )
