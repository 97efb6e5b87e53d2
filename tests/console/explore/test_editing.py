"""Editing in Explore: whatever is typed, pasted and undone, at any size, the text is what a model says."""

from __future__ import annotations

import os
import random
import secrets
import time
from collections import deque
from pathlib import Path

import pytest
from textual import events
from textual.widgets.text_area import Selection

from console.explore.editor import Editor
from tests.console.support.explore import open_editor
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, press, until

SECONDS = float(os.environ.get("PRATIQUE_FUZZ_SECONDS", "3"))
PIECES = (
    "x",
    "\n",
    "  ",
    "\t",
    "é",
    "漢字",
    "a = 1\nb = 2\n",
    "\n" * 400,
    "print('y')\n" * 900,
    "z" * 5000,
    "\u202e",
    "'''",
)
SIZES = ((80, 24), (120, 36), (200, 60), (40, 12))


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use an empty home."""
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path / "home"))


class Model:
    """A text with its undo history, each edit a step of its own."""

    def __init__(self, steps: int) -> None:
        self.text = ""
        self._undone: list[str] = []
        self._done: deque[str] = deque(maxlen=steps)

    def replace(self, start: tuple[int, int], end: tuple[int, int], piece: str) -> None:
        """Replace what is between two places, given as line and column."""
        self._done.append(self.text)
        self._undone.clear()
        first, last = sorted((self._index(start), self._index(end)))
        self.text = self.text[:first] + piece + self.text[last:]

    def undo(self) -> None:
        """Take the last edit back."""
        if self._done:
            self._undone.append(self.text)
            self.text = self._done.pop()

    def redo(self) -> None:
        """Do the last undone edit again."""
        if self._undone:
            self._done.append(self.text)
            self.text = self._undone.pop()

    def _index(self, place: tuple[int, int]) -> int:
        lines = self.text.split("\n")
        return sum(len(line) + 1 for line in lines[: place[0]]) + place[1]


def anywhere(chance: random.Random, text: str) -> tuple[int, int]:
    """Return a place in a text."""
    lines = text.split("\n")
    line = chance.randrange(len(lines))
    return line, chance.randint(0, len(lines[line]))


def edit(chance: random.Random, editor: Editor, model: Model) -> None:
    """Replace a part of the text, in the editor and in the model."""
    start, piece = anywhere(chance, model.text), chance.choice(PIECES)
    end = anywhere(chance, model.text) if chance.random() < 0.3 else start
    editor.history.checkpoint()
    editor.replace(piece, start, end)
    model.replace(start, end, piece)


async def test_random_editing_is_what_a_model_says() -> None:
    """Edits, undo, redo, selections and sizes of the screen in any order."""
    seed = secrets.randbits(32)
    chance, until_then = random.Random(seed), time.monotonic() + SECONDS  # noqa: S311
    async with open_console(FakeEngine()) as (app, pilot):
        editor = await open_editor(app, pilot)
        model = Model(editor.history.max_checkpoints)
        while time.monotonic() < until_then:
            for _ in range(10):
                match chance.random():
                    case roll if roll < 0.5:
                        edit(chance, editor, model)
                    case roll if roll < 0.75:
                        editor.undo()
                        model.undo()
                    case roll if roll < 0.9:
                        editor.redo()
                        model.redo()
                    case _:
                        editor.selection = Selection(
                            anywhere(chance, model.text), anywhere(chance, model.text)
                        )
                assert model.text == editor.text, f"seed {seed}"
            await pilot.resize_terminal(*chance.choice(SIZES))


async def test_a_paste_longer_than_the_screen_can_be_undone_and_done_again() -> None:
    """By the keys of a person, in a small terminal."""
    text = "\n".join(f"x = {number}" for number in range(10_000))
    async with open_console(FakeEngine(), size=(80, 24)) as (app, pilot):
        editor = await open_editor(app, pilot)
        app.post_message(events.Paste(text))
        await until(pilot, lambda: editor.text == text)
        await press(pilot, "ctrl+z")
        await until(pilot, lambda: editor.text == "")
        editor.redo()
        await pilot.pause()
        assert text == editor.text


async def test_keys_take_effect_in_the_order_in_which_they_were_pressed() -> None:
    """Also where they arrive faster than they are handled, and some of them are no letters."""
    async with open_console(FakeEngine(), size=(80, 24)) as (app, pilot):
        editor = await open_editor(app, pilot)
        keys = (
            "a",
            "b",
            "backspace",
            "c",
            "left",
            "d",
            "end",
            "enter",
            "e",
            "up",
            "f",
            "home",
            "g",
            "delete",
        )
        for key in keys:
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: "e" in editor.text and "g" in editor.text)
        await pilot.pause(0.3)
        assert "gfdc\ne" == editor.text
