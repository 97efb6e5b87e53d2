"""Drafts: what is typed in Explore outlives the console, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from textual.widgets import Input

from console.explore import drafts, snippets
from console.explore.drafts import DraftStore
from console.explore.editor import Editor
from console.explore.snippets import SavedSnippet
from engine.common.text import Untrusted
from engine.models import Language
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, press, until

TYPING = """
import itertools, sys
from datetime import UTC, datetime
from console.explore.drafts import DraftStore
from console.explore.snippets import SavedSnippet
from engine.common.text import Untrusted
from engine.models import Language
store = DraftStore()
store.open()
for count in itertools.count(1):
    text = "x" * count
    store.save(SavedSnippet(at=datetime.now(UTC), language=Language.PYTHON, code=Untrusted(text)))
    print(count, flush=True)
"""


def draft(text: str, language: Language = Language.PYTHON) -> SavedSnippet:
    """Return a draft of code."""
    return SavedSnippet(at=datetime.now(UTC), language=language, code=Untrusted(text))


def reopened() -> str | None:
    """Return the text that the next console finds."""
    store = DraftStore()
    found = store.open()
    store.close()
    return found.code.text if found else None


def test_the_next_console_goes_on_with_the_newest_draft_that_is_not_open() -> None:
    """Two consoles have two drafts, and neither takes the other's."""
    first, second = DraftStore(), DraftStore()
    assert (None, None) == (first.open(), second.open())
    first.save(draft("one"))
    second.save(draft("two"))
    third = DraftStore()
    assert third.open() is None
    first.close()
    assert "one" == reopened()
    second.close()
    third.close()


def test_an_empty_text_is_forgotten() -> None:
    """What was deleted does not come back."""
    store = DraftStore()
    store.open()
    store.save(draft("x"))
    store.save(draft(""))
    store.close()
    assert reopened() is None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b'{"at": 1}', b"[" * 100_000])
def test_a_broken_draft_is_passed_over(content: bytes) -> None:
    """The console opens all the same."""
    store = DraftStore()
    store.open()
    store.save(draft("good"))
    store.close()
    (drafts.folder() / "broken.json").write_bytes(content)
    assert "good" == reopened()


def test_a_link_in_the_folder_is_not_followed(tmp_path: Path) -> None:
    """Neither a draft nor a lock."""
    outside = tmp_path / "outside"
    outside.write_text(draft("stolen").model_dump_json())
    store = DraftStore()
    store.open()
    store.close()
    (drafts.folder() / "link.json").symlink_to(outside)
    assert reopened() is None


def test_a_console_that_is_killed_loses_nothing_that_was_saved(tmp_path: Path) -> None:
    """However often, at whatever moment: the last text that was saved is found, whole."""
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", TYPING], stdout=subprocess.PIPE, text=True) as typing:
            assert typing.stdout is not None
            known = 0
            until_then = time.monotonic() + 0.05
            while not known or time.monotonic() < until_then:
                known = int(typing.stdout.readline())
            os.kill(typing.pid, signal.SIGKILL)
            rest = [int(line) for line in typing.stdout.read().splitlines() if line]
        found = reopened()
        assert found is not None
        assert len(found) >= max([known, *rest])
        assert found == "x" * len(found)


async def test_what_was_typed_is_there_when_the_console_is_opened_again() -> None:
    """With its language, and the purpose."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "a", "b", "ctrl+l")
        await until(pilot, lambda: ["ab"] == [each.text for each in app.screen.query(Editor)])
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3")
        await until(pilot, lambda: ["ab"] == [each.text for each in app.screen.query(Editor)])


async def test_what_was_typed_just_before_the_end_is_saved() -> None:
    """Closing the console does not wait for the next save."""
    async with open_console(FakeEngine()) as (app, pilot):
        (await open_editor(app, pilot)).insert("last words")
        await pilot.pause()
    assert "last words" == reopened()


async def test_a_draft_is_saved_while_typing() -> None:
    """A console that is killed has it on disk, without being closed."""
    async with open_console(FakeEngine()) as (_, pilot):
        await press(pilot, "3", "a", "b")
        await until(pilot, lambda: any('"ab"' in each.read_text() for each in drafts.folder().glob("*.json")))


async def test_neither_an_older_draft_nor_what_is_typed_meanwhile_is_lost() -> None:
    """Whichever comes first: both are in the editor, or the older one is among the snippets."""
    store = DraftStore()
    store.open()
    store.save(draft("older"))
    store.close()
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        editor.insert("new")
        await until(
            pilot, lambda: "older" in editor.text or ["older"] == [each.code.text for each in snippets.load()]
        )
        assert "new" in editor.text


async def test_what_was_typed_before_the_drafts_were_open_is_saved() -> None:
    """Also where nothing is typed any more."""
    async with open_console(FakeEngine()) as (app, pilot):
        (await open_editor(app, pilot)).insert("early")
        await until(
            pilot, lambda: any('"early"' in each.read_text() for each in drafts.folder().glob("*.json"))
        )


async def test_the_purpose_is_saved_while_it_is_typed() -> None:
    """As the code is."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "a")
        app.screen.query_one("#purpose", Input).value = "To learn"
        await until(
            pilot, lambda: any('"To learn"' in each.read_text() for each in drafts.folder().glob("*.json"))
        )


async def test_a_console_that_draws_all_the_time_saves_all_the_same() -> None:
    """Nothing is left to the event loop once a key was handled."""
    async with open_console(FakeEngine()) as (app, pilot):
        await press(pilot, "3", "a")
        await until(pilot, lambda: any(drafts.folder().glob("*.json")))
        app.screen.query_one(Editor).insert("late")
        await pilot.pause()
        deadline = time.monotonic() + 30
        while not any("late" in each.read_text() for each in drafts.folder().glob("*.json")):
            assert time.monotonic() < deadline


def test_a_draft_that_a_loss_of_power_tore_is_found_as_it_was_synced() -> None:
    """The newest text is broken, or gone; the synced one is whole."""
    for broken in (b"", b'{"at": "20', None):
        store = DraftStore()
        store.open()
        store.save(draft("synced"))
        store.sync()
        store.close()
        (newest,) = drafts.folder().glob("*.json")
        if broken is None:
            newest.unlink()
        else:
            newest.write_bytes(broken)
        assert "synced" == reopened()


def test_the_newer_one_of_two_texts_is_found() -> None:
    """What was saved after the disk was synced."""
    store = DraftStore()
    store.open()
    store.save(draft("older"))
    store.sync()
    store.save(draft("newer"))
    store.close()
    assert "newer" == reopened()


def test_nothing_is_left_of_a_draft_that_is_discarded() -> None:
    """Neither file."""
    store = DraftStore()
    store.open()
    store.save(draft("x"))
    store.sync()
    store.discard()
    assert [] == list(drafts.folder().iterdir())
