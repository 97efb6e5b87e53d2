"""The list of suggested rules, and the key that adopts one."""

from __future__ import annotations

from console.app.app import ConsoleApp
from console.review.suggestions import SuggestionRows, SuggestionsScreen
from engine.common.text import Untrusted
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
