"""What was tried in Explore: searched, with its outputs, and two runs compared."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.app.app import ConsoleApp
from console.explore import snippets
from console.explore.editor import Editor
from console.explore.snippet_list import SnippetRows, SnippetsScreen
from console.explore.snippets import SavedSnippet
from console.history.compare_runs import CompareRunsScreen
from engine.common.text import Untrusted
from engine.models import Language
from tests.console.app.test_screens import running
from tests.console.support.fake_engine import FakeEngine, chunk, result
from tests.console.support.harness import frame, open_console, press, until


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


def tried(code: str, run: str = "") -> SavedSnippet:
    """Return a snippet."""
    return SavedSnippet(at=datetime.now(UTC), language=Language.PYTHON, code=Untrusted(code), run=run)


def listed() -> list[tuple[str, str]]:
    """Return code and run of what is kept, newest first."""
    return [(each.code.text, each.run) for each in snippets.load()]


def test_every_run_is_kept_and_what_did_not_run_once() -> None:
    """The same code may have run twice; that it was replaced meanwhile is no entry of its own."""
    for each in (tried("a"), tried("a", "s-1"), tried("a", "s-2"), tried("a"), tried("b"), tried("b")):
        snippets.save(each)
    assert [("b", ""), ("a", "s-2"), ("a", "s-1")] == listed()


def test_snippets_of_an_earlier_version_are_read() -> None:
    """They have no run."""
    old = '{"at":"2026-01-01T00:00:00Z","language":"python","code":"x","purpose":""}\n'
    snippets.save(tried("y"))
    snippets.file().write_text(old, encoding="utf-8")
    assert [("x", "")] == listed()


@given(st.text(), st.text())
def test_any_search_is_answered(code: str, words: str) -> None:
    """Every word has to be there, in either case."""
    found = tried(code, "s-1").mentions(words)
    assert found is all(word in f"{code}\n\npython\ns-1".lower() for word in words.lower().split())


def shown(app: ConsoleApp) -> str:
    """Return the text of the screen, without its colours."""
    return re.sub(r"\x1b\[[0-9;]*[mH]", "", frame(app))


async def test_what_was_run_is_found_with_its_output_and_compared() -> None:
    """By keys: search, output, and the run before."""
    engine = FakeEngine(*(running(id).model_copy(update={"result": result()}) for id in ("s-1", "s-2")))
    engine.written["s-1"], engine.written["s-2"] = (
        [chunk("from the first\n")],
        [chunk("\x1b]52;c;x\x07second\n")],
    )
    for each in (tried("needle = 1", "s-1"), tried("needle = 2", "s-2"), tried("other")):
        snippets.save(each)
    async with open_console(engine) as (app, pilot):
        await press(pilot, "3", "ctrl+t")
        await until(pilot, lambda: isinstance(app.screen, SnippetsScreen))
        await press(pilot, "m")
        await until(pilot, lambda: "This was not run" in shown(app))
        await press(pilot, "slash", "n", "e", "e", "d", "enter")
        await until(pilot, lambda: "needle = 2" in shown(app) and "other" not in shown(app))
        await until(pilot, lambda: isinstance(app.screen.focused, SnippetRows))
        await press(pilot, "o")
        await until(pilot, lambda: "second" in shown(app))
        assert "\x1b]52" not in frame(app)
        await press(pilot, "j")
        await until(pilot, lambda: "from the first" in shown(app))
        await press(pilot, "k", "equals_sign")
        await until(pilot, lambda: isinstance(app.screen, CompareRunsScreen))
        await until(pilot, lambda: "Code: - s-1   + s-2" in shown(app))
        await press(pilot, "o")
        await until(pilot, lambda: "from the first" in shown(app) and "second" in shown(app))
        await press(pilot, "e")
        await until(pilot, lambda: "Observed effects" in shown(app))
        await press(pilot, "escape", "escape", "escape")
        await until(pilot, lambda: not app.screen.is_modal)


async def test_what_is_run_is_kept_with_its_run() -> None:
    """By the key that runs it."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "x", "ctrl+r")
        await until(pilot, lambda: [("x", "s-0")] == listed())
        assert "x" == app.screen.query_one(Editor).text
