"""Tabs of Explore's editor: several texts, none of which loses a character or another's undo steps."""

from __future__ import annotations

import random
import secrets
import time
from pathlib import Path

import pytest

from console.explore.drafts import DraftStore
from console.explore.editing.tab_bar import TabBar
from console.explore.editing.tabs import MOST_TABS
from console.explore.editor import Editor
from console.explore.find.matches import Query
from engine.models import Language
from tests.console.explore.test_drafts import draft
from tests.console.explore.test_editing import SECONDS, SIZES, Model, anywhere, edit
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


async def test_each_tab_has_its_text_its_language_and_its_undo_steps() -> None:
    """By the keys of a person."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        await press(pilot, "a", "b", "f2")
        assert "" == editor.text
        await press(pilot, "c", "ctrl+l")
        await until(pilot, lambda: "2 c" in frame(app) and "1 ab" in frame(app))
        await press(pilot, "f3")
        assert ("ab", Language.PYTHON) == (editor.text, editor.code_language)
        await press(pilot, "ctrl+z")
        assert "" == editor.text
        await press(pilot, "f3", "ctrl+z")
        assert ("", Language.JAVASCRIPT) == (editor.text, editor.code_language)


async def test_a_closed_tab_is_among_the_snippets() -> None:
    """And no draft is left of it."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        await press(pilot, "a", "f2", "b", "f4")
        assert "a" == editor.text
        assert not app.screen.query_one(TabBar).has_class("-several")
        await press(pilot, "f4")
        assert "" == editor.text
        await press(pilot, "ctrl+t")
        await until(pilot, lambda: "Snippets" in frame(app) and "python" in frame(app))
    assert DraftStore().take_over() is None


async def test_the_next_console_has_all_tabs() -> None:
    """What each of them held when the console was closed, a moment after it was typed."""
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        await press(pilot, "a", "f2", "b", "f2")
        editor.insert("c")
        await pilot.pause()
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        found = set[str]()
        await until(pilot, lambda: app.screen.query_one(TabBar).has_class("-several"))
        for _ in range(3):
            found.add(editor.text)
            await press(pilot, "f3")
        assert {"a", "b", "c"} == found


async def test_drafts_that_another_console_has_open_are_not_taken() -> None:
    """Nor are there more than nine tabs."""
    others = [DraftStore() for _ in range(12)]
    for number, other in enumerate(others):
        other.begin()
        other.save(draft(f"text {number}"))
    for other in others[1:]:
        other.close()
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        await until(pilot, lambda: app.screen.query_one(TabBar).has_class("-several"))
        found = set[str]()
        for _ in range(12):
            found.add(editor.text)
            await press(pilot, "f3")
        assert MOST_TABS == len(found)
        assert "text 0" not in found
        await press(pilot, "f2")
        await until(pilot, lambda: "9 tabs are open" in frame(app))
    others[0].close()


async def test_random_editing_in_tabs_with_replacements_is_what_models_say() -> None:
    """Edits, undo, redo, tabs opened, changed and closed, everything replaced, in any order."""
    seed = secrets.randbits(32)
    chance, until_then = random.Random(seed), time.monotonic() + SECONDS  # noqa: S311
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        models, at = [Model(editor.history.max_checkpoints)], 0
        while time.monotonic() < until_then:
            match chance.random():
                case roll if roll < 0.4:
                    edit(chance, editor, models[at])
                case roll if roll < 0.55:
                    editor.undo()
                    models[at].undo()
                case roll if roll < 0.65:
                    editor.redo()
                    models[at].redo()
                case roll if roll < 0.75:
                    replace_all(chance, editor, models[at])
                case roll if roll < 0.85 and len(models) < MOST_TABS:
                    await pilot.press("f2")
                    at += 1
                    models.insert(at, Model(editor.history.max_checkpoints))
                case roll if roll < 0.9 and len(models) > 1:
                    await pilot.press("f4")
                    del models[at]
                    at = min(at, len(models) - 1)
                case roll if roll < 0.97:
                    await pilot.press("f3")
                    at = (at + 1) % len(models)
                case _:
                    editor.move_cursor(anywhere(chance, models[at].text))
                    await pilot.resize_terminal(*chance.choice(SIZES))
            assert models[at].text == editor.text, f"seed {seed}"


def replace_all(chance: random.Random, editor: Editor, model: Model) -> None:
    """Replace every match, in the editor and in the model."""
    typed, by = chance.choice((("x", "yy"), ("/z+/", "z"), ("\n\n", "\n"), ("print", "(")))
    text = Query(typed).replaced(model.text, by)
    if text != model.text:
        lines = model.text.split("\n")
        editor.replace_in_one_step(text, (0, 0), editor.document.end)
        model.replace((0, 0), (len(lines) - 1, len(lines[-1])), text)
