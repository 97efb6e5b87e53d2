"""History leads on: totals, any order, facets of what runs did, and what a case raises."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from console.history.case import CaseScreen
from console.history.facet_list import Facet, narrowed, term
from console.history.filter_line import FilterInput
from console.history.pivots import PivotScreen
from console.history.screen import HistoryScreen
from console.history.sorting import ORDERS, following
from console.history.table import PAGE
from engine.history.search.pivots import behind_figures
from engine.history.search.query.parser import parse
from engine.models import DecisionTimes, Level
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep searches where nobody else does."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))


async def test_a_case_leads_on_to_a_search() -> None:
    """Pivot lists questions; Enter asks one in History."""
    async with open_console(FakeEngine(case("s-1", "1", who="anna"))) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: "anna" in frame(app))
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and app.screen._case is not None)
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, PivotScreen))
        assert "Everything that anna submitted" in frame(app)
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        assert "agent:anna" == app.screen.query_one(FilterInput).value


async def test_a_hostile_name_in_a_pivot_is_only_text() -> None:
    """A name with markup and escapes is displayed with marks."""
    async with open_console(FakeEngine(case("s-1", "1", who="[b]x\x1b[2J y"))) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: "[b]x" in frame(app))
        await press(pilot, "enter")
        await until(pilot, lambda: isinstance(app.screen, CaseScreen) and app.screen._case is not None)
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, PivotScreen))
        assert "[b]x" in frame(app)
        assert "\x1b[2J" not in frame(app)


async def test_the_total_is_said() -> None:
    """More than a page of submissions are counted."""
    engine = FakeEngine(*(case(f"s-{number}", "1") for number in range(PAGE + 5)))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: f"History {PAGE + 5}" in frame(app))


async def test_o_goes_through_every_order() -> None:
    """The order is said; after the last comes the first."""
    async with open_console(FakeEngine(case("s-1", "1"))) as (app, pilot):
        await press(pilot, "4", "o", "o")
        await until(pilot, lambda: "longest run first" in frame(app))
    sort = ""
    for _ in ORDERS:
        sort = following(sort)
    assert "" == sort


def test_a_facet_narrows_and_widens_any_query() -> None:
    """A value is added to a query of alternatives as a whole, and taken out again."""
    facet = Facet(term("observed.host", "a b"), "a b", 3)
    assert 'observed.host:"a b"' == facet.term
    assert '(risk:high OR lang:py) observed.host:"a b"' == narrowed("risk:high OR lang:py", facet)
    assert "risk:high lang:py" == narrowed('risk:high observed.host:"a b" lang:py', facet)


def test_every_figure_leads_to_a_query() -> None:
    """Kills by reason and hour, what expired, hasty approvals, decisions, and who submitted most."""
    trends = FakeEngine().figures.model_copy(
        update={
            "kills_by_hour": {"2026-11-21T06": {"memory": 2, "timeout": 1}},
            "decision_seconds": {Level.HIGH: DecisionTimes(count=5, p50=4, p95=9)},
            "busiest": {'agent "7"': 6},
        }
    )
    found = behind_figures(trends, 7)
    assert (
        "kill:memory since:7d",
        "kill:timeout since:7d",
        "kill:memory,timeout submitted:2026-11-21T06:00:00Z..2026-11-21T06:59:59Z",
        "decision:expired since:7d",
        "decision:approved waited:<3s since:7d",
        "risk:high reviewer:* since:7d",
        'agent:"agent \\"7\\"" since:7d',
    ) == tuple(pivot.query for pivot in found)
    assert all(parse(pivot.query, datetime.now(UTC)) for pivot in found)
