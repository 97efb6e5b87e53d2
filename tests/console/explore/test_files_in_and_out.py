"""Files in and out of Explore: attached by path or by dragging, and edited in the sandbox."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot
from textual.widgets import Input

from console.app.app import ConsoleApp
from console.explore.editor import Editor
from console.explore.files import dropped
from console.explore.open_file import OpenScreen
from console.explore.workspace.screen import FileList, WorkspaceScreen
from engine.models import Language
from tests.console.explore.test_cells_screen import real_console
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until

CODE = "open('note.txt', 'w').write('hello')"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))
    return tmp_path


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["/a/b.csv"], "/a/b.csv"),
        (["/a/b c.csv"], "'/a/b c.csv' "),
        (["/a/b c.csv"], "/a/b\\ c.csv\n"),
        (["/a/b c.csv", "/d"], "file:///a/b%20c.csv\nfile://localhost/d\n"),
        ([], "a/b.csv"),
        ([], "/a\nprint(1)"),
        ([], "file://elsewhere/a"),
        ([], "'/a"),
        ([], "file:///a%1b[2J"),
        ([], ""),
        ([], "/a " * 17),
    ],
)
def test_paths_are_found_in_what_terminals_paste(names: list[str], text: str) -> None:
    """Quoted, escaped or as addresses; anything beside paths is a text."""
    assert names == list(map(str, dropped.paths(text)))


def test_only_plain_files_are_taken(tmp_path: Path) -> None:
    """No folder, no link, nothing hidden."""
    plain, hidden, link = tmp_path / "a.csv", tmp_path / ".ssh" / "key", tmp_path / "link"
    hidden.parent.mkdir()
    plain.touch()
    hidden.touch()
    link.symlink_to(plain)
    assert (plain,) == dropped.files(str(plain))
    for other in (hidden, link, tmp_path):
        assert () == dropped.files(str(other))


@pytest.mark.parametrize(
    ("wanted", "before", "language"),
    [
        ('"a b.csv"', "open(", Language.PYTHON),
        ("a b.csv", "open('", Language.PYTHON),
        ("'a b.csv'", "cat ", Language.SHELL),
    ],
)
def test_the_name_fits_the_code_before_it(wanted: str, before: str, language: Language) -> None:
    """As a text of the language, or as it is inside quotes."""
    assert wanted == dropped.as_code((Path("/x/a b.csv"),), before, language)


async def test_a_dragged_file_is_attached_and_named(tmp_path: Path) -> None:
    """It is sent with the run under the name that the code has."""
    path = tmp_path / "sales.csv"
    path.write_bytes(b"a,b\n")
    engine = FakeEngine()
    async with open_console(engine) as (app, pilot):
        await open_editor(app, pilot)
        app.post_message(events.Paste(str(path)))
        await until(pilot, lambda: app.screen.query_one(Editor).text == '"sales.csv"')
        await until(pilot, lambda: "1 extra permission" in frame(app))
        await press(pilot, "ctrl+r")
        await until(pilot, lambda: bool(engine.submitted))
        assert [("sales.csv", b"a,b\n")] == [
            (each.name.text, each.content) for each in engine.submitted[0].files
        ]


async def test_a_file_is_attached_by_its_path(tmp_path: Path) -> None:
    """One of the same name takes the place of the first; one that cannot be read is refused."""
    first, second = tmp_path / "one" / "a.csv", tmp_path / "two" / "a.csv"
    for each in (first, second):
        each.parent.mkdir()
        each.write_bytes(b"")
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3")
        for path in (first, second, tmp_path / "none"):
            await press(pilot, "alt+a")
            await until(pilot, lambda: isinstance(app.screen, OpenScreen))
            app.screen.query_one("#path", Input).value = str(path)
            await press(pilot, "enter")
            await until(pilot, lambda: not app.screen.is_modal)
        await until(pilot, lambda: "cannot be read" in frame(app))
        assert "1 extra permission" in frame(app)


@pytest.mark.sandbox
async def test_a_file_of_the_sandbox_is_edited_and_saved_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was changed there meanwhile is not replaced unnoticed; a file is saved here as a new one only."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    async with real_console(tmp_path) as (app, pilot):
        await press(pilot, "3", "ctrl+b")
        await until(pilot, lambda: "session ses-" in frame(app))
        editor = app.screen.query_one(Editor)
        await run(app, pilot, CODE, "exit 0")
        await press(pilot, "alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen) and listed(app) == 1, 60)
        await press(pilot, "enter")
        await until(pilot, lambda: editor.text == "hello", 60)
        editor.text = "hello from here"
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: "Saved note.txt in the sandbox" in frame(app), 60)
        app.clear_notifications()
        await press(pilot, "f3")
        again = "print(open('note.txt').read()); open('note.txt', 'w').write('other')"
        await run(app, pilot, again, "hello from here")
        await press(pilot, "f3", "ctrl+s")
        await until(pilot, lambda: "was changed in the sandbox since" in frame(app), 60)
        await press(pilot, "alt+w")
        await until(pilot, lambda: isinstance(app.screen, WorkspaceScreen) and listed(app) == 1, 60)
        await press(pilot, "s", "enter")
        await until(pilot, (tmp_path / "note.txt").exists, 60)
        await until(pilot, lambda: (tmp_path / "note.txt").read_text() == "other")
        await press(pilot, "s", "enter")
        await until(pilot, lambda: "already exists" in frame(app), 60)


async def run(app: ConsoleApp, pilot: Pilot[Any], code: str, seen: str) -> None:
    """Run code in the session until the frame shows what is to be seen."""
    app.screen.query_one(Editor).text = code
    await press(pilot, "ctrl+r")
    await until(pilot, lambda: seen in frame(app), 60)


def listed(app: ConsoleApp) -> int:
    """Return how many files the sheet lists."""
    return app.screen.query_one(FileList).count
