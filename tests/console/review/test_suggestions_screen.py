"""The list of suggested rules, and the key that adopts one."""

from __future__ import annotations

from datetime import UTC, datetime

from console.app.app import ConsoleApp
from console.review.suggestions import SuggestionRows, SuggestionsScreen
from engine.common.text import Untrusted
from engine.models.past_decisions import DrillAnswer, DrillOutcome, DrillScore
from tests.console.support.fake_engine import FakeEngine, case, suggestion
from tests.console.support.harness import frame, open_console, press, until


def sheet(app: ConsoleApp) -> SuggestionsScreen:
    """Return the list, which is open."""
    assert isinstance(app.screen, SuggestionsScreen)
    return app.screen


async def test_a_rule_is_shown_with_what_it_would_change_and_adopted_by_one_key() -> None:
    """The YAML of the one under the cursor is on screen; ctrl+y puts it into force, and it is gone."""
    engine = FakeEngine(case("s-1", "print(1)"))
    engine.suggested = tuple(suggestion(f"learned-{n}", Untrusted(f"{n}0 of {n}0")) for n in (1, 2))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "P")
        await until(pilot, lambda: isinstance(app.screen, SuggestionsScreen))
        await until(pilot, lambda: "learned-1" in frame(app))
        await press(pilot, "down")
        await until(pilot, lambda: "learned-2" in frame(app))
        assert "47 past submissions would not have waited" in frame(app)
        assert "␊" not in frame(app)
        await until(pilot, lambda: sheet(app).delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: ["learned-1"] == [each.id for each in engine.suggested])
        await until(pilot, lambda: app.screen.query_one(SuggestionRows).count == 1)


async def test_nothing_is_adopted_before_it_could_be_read() -> None:
    """A key right after the rule appeared does nothing."""
    engine = FakeEngine(case("s-1", "print(1)"))
    engine.suggested = (suggestion("learned-1", Untrusted("10 of 10")),)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "P")
        await until(pilot, lambda: "learned-1" in frame(app))
        sheet(app).delay.restart()
        await press(pilot, "ctrl+y")
        assert 1 == len(engine.suggested)


async def test_your_score_of_drills_stands_beside_the_suggestions() -> None:
    """How many were caught and missed, what the last one was, and that nobody else is told."""
    engine = FakeEngine(case("s-1", "print(1)"))
    last = DrillAnswer(submission="s-9", at=datetime.now(UTC), drill="unset-folder", what="It deletes all.",
                       outcome=DrillOutcome.MISSED, nonce="0" * 32)  # fmt: skip
    engine.drill_score = DrillScore(caught=3, missed=1, answers=(last,))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "P")
        await until(pilot, lambda: "3 caught, 1 missed, 0 rehearsed" in frame(app))
        assert "told to nobody else" in frame(app)
        assert "It deletes all." in frame(app)
