"""Responders act from History: responses, incidents, notes, tags, exports, shared searches, columns."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from console.history import columns
from console.history.column_choice import ColumnsScreen
from console.history.facet_list import FacetList
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.incidents import IncidentsScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.respond import RespondScreen
from console.history.responding.responses import ResponsesScreen
from console.history.table import HistoryTable
from engine.models import Case, Status
from engine.models.incident import EntryKind
from engine.models.response import BlockKind, BlockTarget
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep choices and exports where nobody else does."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def ended(id: str) -> Case:
    """Return a submission that was denied."""
    return case(id, f"print('{id}')").model_copy(update={"status": Status.DENIED})


def running(id: str) -> Case:
    """Return a run that goes on."""
    return case(id, "print(1)").model_copy(update={"status": Status.RUNNING})


async def test_a_response_is_chosen_confirmed_and_made() -> None:
    """R on two marked submissions: nothing happens before the second ctrl+y, then exactly what was chosen."""
    engine = FakeEngine(running("s-1"), ended("s-2"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "M", "R")
        await until(pilot, lambda: isinstance(app.screen, RespondScreen))
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: "Nothing is chosen" in frame(app))
        await press(pilot, "right", "right", "down", "right", "down", "space", "tab", *"bad", "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
        assert [] == engine.responses.requests
        assert "host hooks.example" in frame(app)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: bool(engine.responses.requests))
    (request,) = engine.responses.requests
    target = BlockTarget(kind=BlockKind.HOST, value=engine.responses.text)
    assert ("id:s-2,s-1", ("s-1",), (target,), 72.0, "bad") == (
        request.query, request.stop, request.block, request.hours, request.reason.text
    )  # fmt: skip


async def test_escape_responds_to_nothing() -> None:
    """Escape in the confirmation and in the choice leaves everything as it is."""
    engine = FakeEngine(ended("s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 1)
        await press(pilot, "R")
        await until(pilot, lambda: isinstance(app.screen, RespondScreen))
        await press(pilot, "end", "space", "ctrl+y")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await press(pilot, "escape")
        await until(pilot, lambda: isinstance(app.screen, RespondScreen))
        await press(pilot, "escape")
        await until(pilot, lambda: app.screen.query(HistoryTable).first() is not None)
    assert [] == engine.responses.requests


async def test_blocks_and_responses_are_undone() -> None:
    """The block in force stands first, with its end; U and the confirmation undo the one under the cursor."""
    engine = FakeEngine(ended("s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "b")
        await until(pilot, lambda: isinstance(app.screen, ResponsesScreen) and "b-1" in frame(app))
        for key in ("home", "end"):
            await press(pilot, key, "U")
            await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
            await press(pilot, "ctrl+y")
            await until(pilot, lambda: isinstance(app.screen, ResponsesScreen))
        await until(pilot, lambda: len(engine.responses.undone) == 2)
    assert ["b-1", "r-1"] == engine.responses.undone


async def test_an_incident_is_opened_filled_and_exported(tmp_path: Path) -> None:
    """n opens one with what is marked, a adds what is selected, N a note, x seals it into a file."""
    engine = FakeEngine(ended("s-1"), ended("s-2"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "m", "i")
        await until(pilot, lambda: isinstance(app.screen, IncidentsScreen))
        for key, text in (("n", "keys"), ("N", "seen"), ("x", "")):
            await press(pilot, key)
            await until(pilot, lambda: isinstance(app.screen, PromptScreen))
            await press(pilot, *text, "enter")
            await until(pilot, lambda: isinstance(app.screen, IncidentsScreen))
            await until(pilot, lambda: bool(engine.incidents.known))
        await press(pilot, "a")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: len(engine.incidents.known["i-0"].entries) == 3)
        await until(pilot, (tmp_path / "i-0.zip").exists)
    kinds = [(entry.kind, entry.value.text) for entry in engine.incidents.known["i-0"].entries]
    assert {(EntryKind.SUBMISSION, "s-2"), (EntryKind.NOTE, "seen")} == set(kinds)


async def test_an_export_says_how_far_it_is(tmp_path: Path) -> None:
    """While an incident is sealed its sheet says how many submissions were read of how many."""
    engine = FakeEngine(ended("s-1"))
    await engine.incidents.open("keys")
    engine.incidents.may_end.clear()
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 1)
        await press(pilot, "i")
        await until(pilot, lambda: isinstance(app.screen, IncidentsScreen) and "i-0" in frame(app))
        await press(pilot, "x")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, "enter")
        await until(pilot, lambda: "sealing: 3 of 8 submissions" in frame(app))
        engine.incidents.may_end.set()
        await until(pilot, (tmp_path / "i-0.zip").exists)
        await until(pilot, lambda: "selected: s-1" in frame(app))


async def test_notes_and_tags_are_written_by_key() -> None:
    """A note goes on the one under the cursor; a tag on both that are marked, once that is confirmed."""
    engine = FakeEngine(ended("s-1"), ended("s-2"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "n")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, *"why", "enter")
        await until(pilot, lambda: bool(engine.incidents.annotated))
        await press(pilot, "M", "T")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, *"bad", "enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: len(engine.incidents.annotated) == 3)
    assert [("s-2", "why"), ("s-2", "+bad"), ("s-1", "+bad")] == engine.incidents.annotated


@pytest.mark.parametrize("ending", ["csv", "jsonl", "zip"])
async def test_what_is_marked_is_exported(ending: str, tmp_path: Path) -> None:
    """x writes both marked submissions: a table, their events, or their case files."""
    engine = FakeEngine(ended("s-1"), ended("s-2"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 2)
        await press(pilot, "M", "x")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, *["backspace"] * 11, *f"out.{ending}", "enter")
        await until(pilot, (tmp_path / f"out.{ending}").exists)
    if ending == "csv":
        assert 3 == len((tmp_path / "out.csv").read_text().splitlines())
    elif ending == "zip":
        assert {"s-1.zip", "s-2.zip"} == set(zipfile.ZipFile(tmp_path / "out.zip").namelist())
    assert ([] if ending == "zip" else [("id:s-2,s-1", ending, 2)]) == engine.exports


async def test_a_search_is_shared_and_listed() -> None:
    """S asks for a name; the facets list the search with it; S again and a confirmation remove it."""
    engine = FakeEngine(ended("s-1"))
    async with open_console(engine) as (app, pilot):
        await press(pilot, "4", "slash", *"agent", "enter", "S")
        await until(pilot, lambda: isinstance(app.screen, PromptScreen))
        await press(pilot, *"mine", "enter")
        await until(pilot, lambda: "mine" in engine.shared_queries.known)
        await press(pilot, "f")
        await until(pilot, lambda: "mine: agent" in frame(app))
        assert app.screen.query_one(FacetList).has_focus
        await press(pilot, "f", "S")
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen) and app.screen.delay.over)
        await press(pilot, "ctrl+y")
        await until(pilot, lambda: not engine.shared_queries.known)


async def test_chosen_columns_are_kept() -> None:
    """C, Space and Enter add a column; it is shown, and is in the file for the next session."""
    async with open_console(FakeEngine(ended("s-1")), size=(160, 40)) as (app, pilot):
        await press(pilot, "4")
        await until(pilot, lambda: app.screen.query_one(HistoryTable).count == 1)
        await press(pilot, "C")
        await until(pilot, lambda: isinstance(app.screen, ColumnsScreen))
        await press(pilot, *["down"] * list(columns.COLUMNS).index("id"), "space", "enter")
        await until(pilot, lambda: "s-1" in frame(app))
    assert (*columns.BROAD_ONES, "id") == columns.load()
    columns.file().write_text(json.dumps(["id", "nothing", 3]))
    assert ("id",) == columns.load()
