"""Cells on screen: run in a session, with what each gave below it; notebook files opened and saved."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nbformat
import pytest
from textual.pilot import Pilot

from console.app.app import ConsoleApp
from console.explore.cells import notebook_write, variables
from console.explore.cells import screen as cells_screen
from console.explore.cells.box import CellBox
from console.explore.cells.results import CellResult, Shown
from console.explore.cells.screen import CellsScreen
from console.explore.cells.script import Cell
from console.explore.cells.variables_sheet import VariablesScreen
from console.explore.editor import Editor
from console.explore.open_file import OpenScreen
from console.explore.screen import ExploreScreen
from console.run.picture import PictureView
from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Language, Session, SessionState
from tests.console.explore.test_cells import PNG
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import ME, FakeEngine, chunk
from tests.console.support.harness import QUICK, frame, open_console, press, until
from tests.engine_process import BASE, EngineProcess

SCRIPT = """# %% numbers
x = 20 + 1
print('x is', x)
# %%
x * 2
# %% [markdown]
# # Notes
# %% table
import pandas
pandas.DataFrame({'a': [1, 2]})
# %% picture
import matplotlib.pyplot as plt
plt.plot([1, 2]);
# %% wrong
1 / 0
# %% never
print('never')
"""

SESSION = Session(
    id="c-0", owner=ME, language=Language.PYTHON, image="python-data", state=SessionState.READY,
    created_at=datetime.now(UTC), used_at=datetime.now(UTC), idle_seconds=60, life_seconds=60,
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))
    return tmp_path


async def show_cells(pilot: Pilot[Any], app: ConsoleApp, text: str, key: str = "f6") -> CellsScreen:
    """Put a script into the editor and show its cells."""
    (await open_editor(app, pilot)).text = text
    await press(pilot, key)
    await until(pilot, lambda: isinstance(app.screen, CellsScreen) and bool(app.screen.query(CellBox)))
    assert isinstance(app.screen, CellsScreen)
    return app.screen


async def test_cells_are_shown_and_edited() -> None:
    """Enter goes to the line of the chosen cell; nothing ran."""
    async with open_console(FakeEngine()) as (app, pilot):
        await show_cells(pilot, app, SCRIPT)
        await until(pilot, lambda: "7 cells" in frame(app) and "not run yet" in frame(app))
        await press(pilot, "end", "j", "enter")
        await until(pilot, lambda: not app.screen.is_modal)


async def test_a_text_without_cells_is_one() -> None:
    """And an empty one is none."""
    async with open_console(FakeEngine()) as (app, pilot):
        screen = await show_cells(pilot, app, "print(1)")
        assert 1 == len(screen.query(CellBox))
        await press(pilot, "escape")
        app.screen.query_one(Editor).text = ""
        await press(pilot, "f6")
        await until(pilot, lambda: "0 cells" in frame(app))
        await press(pilot, "r", "a", "b", "enter")
        await until(pilot, lambda: not app.screen.is_modal)


async def test_a_cell_goes_on_while_its_view_is_left() -> None:
    """What it writes is shown as it comes, and is there when its view is opened again."""
    engine = FakeEngine()
    engine.hold, engine.written["s-0"] = {"s-0"}, [chunk("first line\n")]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
        explore = app.screen
        assert isinstance(explore, ExploreScreen)
        explore._session.current = SESSION
        await show_cells(pilot, app, "print(1)", "f5")
        await until(pilot, lambda: "first line" in frame(app))
        await press(pilot, "escape", "f6")
        await until(pilot, lambda: app.screen.is_modal and "first line" in frame(app))
        await press(pilot, "r")
        await until(pilot, lambda: "A cell runs already" in frame(app))
        assert 1 == len(engine.submitted)


async def test_the_first_output_of_a_cell_is_shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not wait for the next time that everything is brought up to date."""
    monkeypatch.setattr(cells_screen, "REFRESH_SECONDS", 1e6)
    engine = FakeEngine()
    engine.hold, engine.written["s-0"] = {"s-0"}, [chunk("first line\n")]
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
        explore = app.screen
        assert isinstance(explore, ExploreScreen)
        explore._session.current = SESSION
        await show_cells(pilot, app, "print(1)", "f5")
        await until(pilot, lambda: "first line" in frame(app))


async def test_the_cells_have_the_screen_to_themselves() -> None:
    """Nothing of the editor is drawn at their edges, or behind them."""
    async with open_console(FakeEngine()) as (app, pilot):
        screen = await show_cells(pilot, app, SCRIPT)
        await until(pilot, lambda: "not run yet" in frame(app))
        assert app.size.width == screen.query_one("#cells").region.width
        assert [] == app._background_screens
        await press(pilot, "escape")
        await until(pilot, lambda: not app.screen.is_modal)


async def test_a_theme_that_was_chosen_meanwhile_is_that_of_the_cells() -> None:
    """Their styles are worked out again when they are shown the next time."""
    async with open_console(FakeEngine()) as (app, pilot):
        screen = await show_cells(pilot, app, "print(1)")
        before = screen.query_one(CellBox).styles.border_left
        await press(pilot, "escape")
        await until(pilot, lambda: not app.screen.is_modal)
        app.theme = next(name for name in app.available_themes if "light" in name)
        await press(pilot, "f6")
        await until(pilot, lambda: before != screen.query_one(CellBox).styles.border_left)


async def test_a_table_begins_with_its_heads() -> None:
    """What is too long for the cell is cut at its end."""
    rows = json.dumps({"columns": ["number"], "rows": [[each] for each in range(30)]})
    async with open_console(FakeEngine(), size=(120, 60)) as (app, pilot):
        screen = await show_cells(pilot, app, "numbers")
        screen._notebook.runner.results[0] = CellResult("numbers", shown=(Shown("table", Untrusted(rows)),))
        await until(pilot, lambda: "… 10 more rows" in frame(app))
        assert (True, False) == ("number" in frame(app), " 20 " in frame(app))


async def test_the_cell_at_which_a_run_of_all_ended_is_chosen() -> None:
    """The first one that failed."""
    engine = FakeEngine()
    engine.exit_code = 1
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: isinstance(app.screen, ExploreScreen))
        assert isinstance(app.screen, ExploreScreen)
        app.screen._session.current = SESSION
        screen = await show_cells(pilot, app, "# %%\n1\n# %%\n2\n")
        await press(pilot, "j")
        await until(pilot, lambda: 1 == screen._chosen)
        await press(pilot, "a")
        await until(pilot, lambda: 0 == screen._chosen)
        assert 1 == len(engine.submitted)


async def open_by_path(pilot: Pilot[Any], app: ConsoleApp, path: Path) -> None:
    """Open a file by typing its path."""
    await press(pilot, "ctrl+o")
    await until(pilot, lambda: isinstance(app.screen, OpenScreen))
    app.screen.query_one("#path").value = str(path)  # type: ignore[attr-defined]
    await press(pilot, "enter")
    await until(pilot, lambda: not app.screen.is_modal)


async def test_a_notebook_file_is_opened_shown_and_saved(tmp_path: Path) -> None:
    """With its outputs, those it had; hostile ones as text."""
    hostile = Untrusted("\x1b]52;c;UFdO\x07\u202e[/]<script>")
    result = CellResult("1 + 1", Untrusted("out\n"), hostile, (
        Shown("text/plain", Untrusted("2"), final=True), Shown("text/html", hostile),
        Shown("image/png", data=PNG)), number=3)  # fmt: skip
    path = tmp_path / "work.ipynb"
    path.write_bytes(notebook_write.written(Language.PYTHON, [Cell("1 + 1"), Cell("x")], {0: result}))
    path.chmod(0o640)
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3")
        await open_by_path(pilot, app, path)
        editor = app.screen.query_one(Editor)
        await until(pilot, lambda: editor.text == "# %%\n1 + 1\n\n# %%\nx\n")
        editor.insert("y = 1\n", (1, 0))
        await press(pilot, "f6")
        await until(pilot, lambda: "edited since" in frame(app))
        assert "\x1b]52" not in frame(app)
        assert "text/html, as text" in frame(app)
        assert 1 == len(app.screen.query(PictureView))
        await press(pilot, "w")
        await until(pilot, lambda: "Saved" in frame(app))
        saved = nbformat.read(path, as_version=4)
        assert ["y = 1\n1 + 1", "x"] == [each.source for each in saved.cells]
        assert "out\n" == saved.cells[0].outputs[0].text
        assert 0o640 == path.stat().st_mode & 0o777
        path.write_text("{}", encoding="utf-8")
        await press(pilot, "w")
        await until(pilot, lambda: "changed by another program" in frame(app))
        assert "{}" == path.read_text(encoding="utf-8")


async def test_another_text_is_never_saved_over_a_notebook(tmp_path: Path) -> None:
    """Neither that of another tab, nor a snippet."""
    path = tmp_path / "work.ipynb"
    path.write_bytes(notebook_write.written(Language.PYTHON, [Cell("kept")], {}))
    before = path.read_bytes()
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3")
        await open_by_path(pilot, app, path)
        await press(pilot, "f2", "z", "f6")
        await until(pilot, lambda: isinstance(app.screen, CellsScreen))
        await press(pilot, "w")
        await until(pilot, lambda: "No notebook file was opened" in frame(app))
        await press(pilot, "escape", "f3", "f4", "f4")
        app.screen.query_one(Editor).text = "other"
        await press(pilot, "f6", "w")
    assert before == path.read_bytes()


@pytest.mark.parametrize("data", [b"{}", b"", b"\xff" * 10])
async def test_what_is_no_notebook_is_said(tmp_path: Path, data: bytes) -> None:
    """And the text in the editor stays."""
    path = tmp_path / "work.ipynb"
    path.write_bytes(data)
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "a")
        await open_by_path(pilot, app, path)
        await until(pilot, lambda: "no notebook" in frame(app))
        assert "a" == app.screen.query_one(Editor).text


@pytest.mark.parametrize("text", ["", "null", "[1]", '[{"name": 1}]', "[" * 5000, '{"a":1}', "x\n[]x"])
def test_what_the_guest_says_of_its_variables_is_checked(text: str) -> None:
    """Anything but the list is nothing."""
    assert variables.parsed(Untrusted(text)) is None


def test_the_variables_are_asked_without_calling_the_users_code(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither what looks up attributes, nor what measures or shows an object."""
    names: dict[str, Any] = {}
    exec("class Bomb:\n def __getattribute__(self, name): raise SystemExit(name)\n"  # noqa: S102
         " def __len__(self): raise SystemExit\n __repr__ = __sizeof__ = __len__\n"
         "bomb = Bomb()\nnumber = 3\ntext = 'abc'\n" + variables.CODE, names)  # fmt: skip
    found = variables.parsed(Untrusted(capsys.readouterr().out))
    assert found is not None
    known = {each.name.text: (each.kind.text, each.length, each.value.text) for each in found}
    assert ("Bomb", None, "") == known["bomb"]
    assert ("int", None, "3") == known["number"]
    assert ("str", 3, "") == known["text"]


@asynccontextmanager
async def real_console(home: Path) -> AsyncIterator[tuple[ConsoleApp, Pilot[Any]]]:
    """Open the console with a real engine."""
    process = EngineProcess(home, **{BASE: "standard", "PRATIQUE_POLICY__PROFILE": "solo"})
    process.start()

    async def connect() -> Client:
        return process.client()

    app = ConsoleApp(connect, QUICK)
    try:
        async with app.run_test(size=(120, 60), notifications=True) as pilot:
            await until(pilot, lambda: app.health is not None and app.health.can_run, 60)
            yield app, pilot
    finally:
        process.end()


def ended(screen: CellsScreen) -> dict[int, tuple[str, str]]:
    """Return the status and the output of the cells that ran."""
    boxes = {index: box.result for index, box in enumerate(screen.query(CellBox)) if box.result}
    return {index: (each.status, each.stdout.text) for index, each in boxes.items()}


@pytest.mark.sandbox
async def test_cells_run_in_one_session_of_a_real_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All until one fails: text, values, tables and pictures; then the variables, an interrupt, a restart."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    async with real_console(tmp_path) as (app, pilot):
        screen = await show_cells(pilot, app, SCRIPT)
        await press(pilot, "a")
        runner = screen._notebook.runner
        await until(pilot, lambda: 5 in runner.results and runner.running is None, 120)
        results = runner.results
        assert "x is 21\n" == results[0].stdout.text
        assert ["42"] == [each.text.text for each in results[1].shown]
        assert [[1, 2]] == [
            [int(row[-1]) for row in json.loads(each.text.text)["rows"]]
            for each in results[3].shown if each.mime == "table"
        ]  # fmt: skip
        assert any(each.data.startswith(b"\x89PNG") for each in results[4].shown)
        assert "ZeroDivisionError" in results[5].stderr.text
        assert 6 not in results
        assert results[0].memory > 0
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, VariablesScreen), 60)
        await until(pilot, lambda: "x " in frame(app) and "int" in frame(app))
        await press(pilot, "s", "escape", "x")
        await until(pilot, lambda: bool(app.screen.focused))
        app.screen.focused.value = str(tmp_path / "out.html")  # type: ignore[union-attr]
        await press(pilot, "enter")
        await until(pilot, (tmp_path / "out.html").exists)
        page = (tmp_path / "out.html").read_text()
        assert "x is 21" in page
        assert "data:image/png;base64," in page
        await press(pilot, "escape")
        await until(pilot, lambda: not app.screen.is_modal)


@pytest.mark.sandbox
async def test_a_cell_is_interrupted_and_the_session_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ran before is still there; after a restart it is not."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    script = "x = 1\n# %%\nimport time\nprint('begun', flush=True)\ntime.sleep(100)\n# %%\nprint(x)\n"
    async with real_console(tmp_path) as (app, pilot):
        screen = await show_cells(pilot, app, script)
        await press(pilot, "a")
        runner = screen._notebook.runner
        await until(pilot, lambda: "begun" in ended(screen).get(1, ("", ""))[1], 60)
        await press(pilot, "i")
        await until(pilot, lambda: runner.running is None, 60)
        assert not runner.results[1].succeeded
        await press(pilot, "j", "j", "r")
        await until(pilot, lambda: 2 in runner.results and runner.running is None, 60)
        assert "1\n" == runner.results[2].stdout.text
        await press(pilot, "R", "k", "j", "r")
        await until(pilot, lambda: "NameError" in runner.results[2].stderr.text, 60)
