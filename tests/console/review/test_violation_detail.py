"""The violation that is looked at in full: all of it can be read, whatever its length."""

from __future__ import annotations

from console.review.violations import ViolationDetail
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import open_console, press, until


async def test_a_long_reason_is_read_to_its_end() -> None:
    """What has no room says how much more there is, and page down shows it; the next begins at its top."""
    long = violation(span(1, 1, 6)).model_copy(update={"attack": f"{'an attacker reads on ' * 60}to the end"})
    engine = FakeEngine(case("s-1", "print(1)\nprint(2)", violations=(long, violation(span(2, 1, 6)))))
    async with open_console(engine) as (app, pilot):
        await until(pilot, lambda: "more: Tab, PgDn" in plain(app))
        app.screen.query_one(ViolationDetail).focus()
        await press(pilot, *["pagedown"] * 12)
        await until(pilot, lambda: "to the end" in plain(app))
        assert "more: Tab, PgDn" not in plain(app)
        await press(pilot, "n", "n")
        await until(pilot, lambda: "to the end" not in plain(app))
        assert "reads the whole environment" in plain(app)


async def test_a_reason_is_wrapped_anew_where_the_screen_changes() -> None:
    """Nothing of a line is lost to a narrower screen."""
    engine = FakeEngine(case("s-1", "print(1)", violations=(violation(span(1, 1, 6)),)))
    async with open_console(engine, (200, 60)) as (app, pilot):
        await until(pilot, lambda: "Sends keys to whoever asked." in plain(app))
        await pilot.resize_terminal(120, 36)
        await until(pilot, lambda: "whoever" in plain(app) and "asked." in plain(app))
