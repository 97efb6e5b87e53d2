"""The footer names the keys that act, whole, at every width."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, case, span, violation
from tests.console.support.harness import open_console, press, until

RISKY = case("s-1", "print(1)", violations=(violation(span(1, 1, 2)),))


def last_line(app: ConsoleApp) -> str:
    """Return the footer as it is on screen."""
    return plain(app).rstrip("\n").split("\n")[-1]


async def shows(app: ConsoleApp, pilot: Pilot[Any], *keys: str) -> None:
    """Wait until the footer shows all of `keys`."""
    await until(pilot, lambda: all(each in last_line(app) for each in keys), 10)


async def footer_at(app: ConsoleApp, pilot: Pilot[Any], width: int) -> str:
    """Make the terminal so wide, and return the footer that is drawn then."""
    await pilot.resize_terminal(width, 36)
    await until(pilot, lambda: len(last_line(app)) == width, 10)
    return last_line(app)


async def test_the_key_that_denies_is_named() -> None:
    """The input has Enter and the arrows as well, but what they do is what the sheet says."""
    async with open_console(FakeEngine(RISKY)) as (app, pilot):
        await press(pilot, "d")
        await shows(app, pilot, "⏎ Deny", "↓ Reasons", "esc Back")


async def test_the_key_that_opens_a_submission_is_named_only_where_it_opens_one() -> None:
    """In the search line Enter searches."""
    async with open_console(FakeEngine(RISKY)) as (app, pilot):
        await press(pilot, "4")
        await shows(app, pilot, "⏎ Open", "/ Search")
        await press(pilot, "slash")
        await until(pilot, lambda: "Open" not in last_line(app), 10)


@pytest.mark.parametrize("width", [80, 60, 40])
async def test_the_way_back_is_shown_whole_where_few_keys_fit(width: int) -> None:
    """What does not fit is left out before it."""
    async with open_console(FakeEngine(RISKY), (width, 24)) as (app, pilot):
        await press(pilot, "4")
        await press(pilot, "E")
        await shows(app, pilot, "n Hold", "esc Back")


async def test_a_group_of_keys_is_never_shown_without_its_name() -> None:
    """At no width do the keys stand alone."""
    async with open_console(FakeEngine(RISKY, case("s-2", "print(2)")), (120, 36)) as (app, pilot):
        await shows(app, pilot, "amx Resolve")
        for width in range(110, 60, -5):
            footer = await footer_at(app, pilot, width)
            assert ("amx" in footer) is ("Resolve" in footer), footer
