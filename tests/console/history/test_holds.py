"""Administrators hold, erase, and export a person's file from History and from a case."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.holds import ERASED, HoldsScreen
from console.history.responding.prompt import PromptScreen
from console.history.screen import HistoryScreen
from console.history.table import HistoryTable
from engine.common.text import Untrusted
from engine.models.erasing.erasure import ErasureRequest, RecordedErasure
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep choices and exports where nobody else does."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def engine() -> FakeEngine:
    """Return an engine with two submissions."""
    return FakeEngine(case("s-1", "print(1)"), case("s-2", "print(2)"))


@asynccontextmanager
async def holds_open(known: FakeEngine, *keys: str) -> AsyncIterator[tuple[ConsoleApp, Pilot[Any]]]:
    """Open the list of holds from History, after some keys there."""
    async with open_console(known) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, *keys, "E")
        await until(pilot, lambda: isinstance(app.screen, HoldsScreen))
        yield app, pilot


async def typed(app: ConsoleApp, pilot: Pilot[Any], text: str) -> None:
    """Answer a line that asks for a text."""
    await until(pilot, lambda: isinstance(app.screen, PromptScreen))
    asked = app.screen
    await press(pilot, *text, "enter")
    await until(pilot, lambda: app.screen is not asked)


async def confirmed(app: ConsoleApp, pilot: Pilot[Any], key: str = "ctrl+y") -> None:
    """Confirm what is asked, once it was displayed for long enough, and come back to the list."""
    await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
    await press(pilot, key)
    await until(pilot, lambda: isinstance(app.screen, HoldsScreen))


async def test_a_hold_is_placed_on_what_is_marked_and_released() -> None:
    """n and a reason place it; the list shows it; U and a confirmation release it."""
    known = engine()
    async with holds_open(known, "M") as (app, pilot):
        await press(pilot, "n")
        await typed(app, pilot, "court")
        await until(pilot, lambda: "id:s-2,s-1" in frame(app) and "court" in frame(app))
        assert [("id:s-2,s-1", "court")] == [
            (hold.query.text, hold.reason.text) for hold in known.erasures.known.values()
        ]
        await press(pilot, "U")
        await confirmed(app, pilot)
        await until(pilot, lambda: "No legal holds" in frame(app))


async def test_an_erasure_says_first_what_would_go_and_asks() -> None:
    """Nothing but a dry run is asked for before ctrl+y; then exactly the same is erased."""
    known = engine()
    async with holds_open(known) as (app, pilot):
        await press(pilot, "e")
        await typed(app, pilot, "gdpr")
        await until(pilot, lambda: "2 submissions: would be erased" in frame(app))
        assert "Nothing brings this back" in frame(app)
        assert "a legal hold keeps it" in frame(app)
        dry = ErasureRequest(query="id:s-2", reason=Untrusted("gdpr"), dry_run=True)
        assert [dry] == known.erasures.requests
        await confirmed(app, pilot)
        await until(pilot, lambda: len(known.erasures.requests) == 2)
    assert [dry, dry.for_real()] == known.erasures.requests


async def test_escape_erases_nothing() -> None:
    """Escape at the confirmation leaves it with the dry run."""
    known = engine()
    async with holds_open(known) as (app, pilot):
        await press(pilot, "e")
        await typed(app, pilot, "gdpr")
        await confirmed(app, pilot, "escape")
    assert [True] == [request.dry_run for request in known.erasures.requests]


async def test_nothing_to_erase_is_said_and_not_asked() -> None:
    """Where holds keep all of it, no confirmation comes."""
    known = engine()
    known.erasures.report = known.erasures.report.model_copy(update={"submissions": 0})
    async with holds_open(known) as (app, pilot):
        await press(pilot, "e")
        await typed(app, pilot, "gdpr")
        await until(pilot, lambda: "Nothing to erase. 1 submission kept" in frame(app))
        assert isinstance(app.screen, HoldsScreen)


async def test_a_person_is_erased_by_name() -> None:
    """P asks for the name and the reason, and erases the person, not the selection."""
    known = engine()
    async with holds_open(known) as (app, pilot):
        await press(pilot, "P")
        await typed(app, pilot, "alice")
        await typed(app, pilot, "gdpr")
        await confirmed(app, pilot)
        await until(pilot, lambda: len(known.erasures.requests) == 2)
    wanted = ErasureRequest(person=Untrusted("alice"), reason=Untrusted("gdpr"), dry_run=True)
    assert [wanted, wanted.for_real()] == known.erasures.requests


async def test_the_file_of_a_person_is_saved(tmp_path: Path) -> None:
    """p asks for the name and for a new file, which has everything about the person."""
    async with holds_open(engine()) as (app, pilot):
        await press(pilot, "p")
        await typed(app, pilot, "alice")
        await typed(app, pilot, "")
        await until(pilot, (tmp_path / "person.zip").exists)
    assert b"everything about alice" == (tmp_path / "person.zip").read_bytes()


async def test_a_reason_that_is_too_long_goes_nowhere() -> None:
    """Nothing is asked of the engine, and the limit is said."""
    known = engine()
    async with holds_open(known) as (app, pilot):
        await press(pilot, "e")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        app.screen.query_one("#typed").value = "x" * 501  # type: ignore[attr-defined]
        await typed(app, pilot, "")
        await until(pilot, lambda: "at most 500 characters" in frame(app))
    assert [] == known.erasures.requests


async def test_what_was_erased_is_searched_for_from_a_case() -> None:
    """f in the list leaves the case, and History searches for what was erased."""
    async with holds_open(engine(), "enter") as (app, pilot):
        await press(pilot, "f")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        await until(pilot, lambda: ERASED in frame(app))


async def test_what_was_erased_is_listed_and_leads_on() -> None:
    """l lists the erasures with who, why and how much; f there searches for the submission."""
    known = engine()
    known.erasures.done = (
        RecordedErasure(seq=9, at=datetime(2026, 11, 20, 6, tzinfo=UTC), by=Untrusted("dana"),
                        submission=Untrusted("s-7"), rule=Untrusted("on request"), reason=Untrusted("gdpr"),
                        scope="everything", contents=2, records=3),
    )  # fmt: skip
    async with holds_open(known) as (app, pilot):
        await press(pilot, "l")
        said = ("2026-11-20 06:00", "s-7", "2 contents, 3 records", "gdpr", "dana", "on request")
        await until(pilot, lambda: all(words in frame(app) for words in said))
        await press(pilot, "f")
        await until(pilot, lambda: isinstance(app.screen, HistoryScreen))
        await until(pilot, lambda: 'id:"s-7"' in frame(app))
