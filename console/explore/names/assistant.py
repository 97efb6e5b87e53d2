"""Shows names, signatures and documentation while code is typed, once typing pauses for a moment."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.geometry import Offset
from textual.screen import Screen

from console.app.state import console_app
from console.app.workers import run_in_background
from console.explore.editor import Editor
from console.explore.names.candidates import LOOK_BACK, Candidates, at_cursor, called, candidates
from console.explore.names.catalogue import NameCatalogue
from console.explore.names.popup import NamePopup
from engine.common.errors import Problem
from engine.models import Language

PAUSE_SECONDS = 0.03
PREPARE_SECONDS = 0.5
"""The names are asked for this long after the screen was opened, so that it opens first."""
HOVER_SECONDS = 0.4
TAKES = ("tab", "enter")
MOVES = {"down": 1, "up": -1}


class NameAssistant:
    """Knows the catalogues of the images, and what the popup shows. Without a catalogue it shows nothing."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._catalogues: dict[tuple[Language, str], NameCatalogue | None] = {}
        self._shown_at = (0, 0)
        self._awaited = False
        """Whether somebody typed what names are to be shown for, once they are known."""
        self.image = ""
        """The image that is asked for; empty: the usual one of the language."""

    def attach(self) -> None:
        """Help in the editor of the screen."""
        self._screen.query_one(Editor).assistance = self
        self._screen.set_timer(PREPARE_SECONDS, self.prepare)

    def prepare(self) -> None:
        """Ask for the names of the language, so that they are known when they are needed."""
        self._known()

    @property
    def _popup(self) -> NamePopup:
        return self._screen.query_one(NamePopup)

    @property
    def catalogue(self) -> NameCatalogue | None:
        """The names of the image that the code would run in, once they are known."""
        return self._catalogues.get((self._screen.query_one(Editor).code_language, self.image))

    def typed(self) -> None:
        """Show what could come next, once typing pauses; what is shown of this word stays until then."""
        run_in_background(self._screen, self._suggest, "names")

    def moved(self) -> None:
        """Close what is shown about another place; a step within a line may be a letter that was typed."""
        line, column = self._screen.query_one(Editor).cursor_location
        near = line == self._shown_at[0] and abs(column - self._shown_at[1]) <= 1
        if near and self._popup.lists:
            run_in_background(self._screen, self._suggest, "names")
        elif not near:
            self._popup.close()

    def explain(self) -> None:
        """Show what the name at the cursor is."""
        editor = self._screen.query_one(Editor)
        run_in_background(
            self._screen,
            partial(self._explain, editor.cursor_location, editor.cursor_screen_offset, 0.0, said=True),
            "names",
        )

    def hovered(self, location: tuple[int, int], at: Offset) -> None:
        """Show what the name under the mouse is, once it rests."""
        run_in_background(
            self._screen, partial(self._explain, location, at, HOVER_SECONDS, said=False), "names"
        )

    async def _suggest(self) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        editor, catalogue = self._screen.query_one(Editor), self._known()
        self._awaited = catalogue is None
        if catalogue is None or editor.read_only or not editor.selection.is_empty:
            self._popup.close()
            return
        line, column = editor.cursor_location
        text = editor.document.get_line(line)
        before, at = text[:column], editor.cursor_screen_offset
        inside = text[column : column + 1].isalnum()
        self._shown_at = (line, column)
        found = candidates(editor.text, before, catalogue)
        if found.names and not inside:
            self._popup.show_names(found, at)
            editor.suggestion = _rest(found)
        elif call := called(editor.text, _text_before(editor), catalogue):
            self._popup.show_call(call, at)
        else:
            self._popup.close()

    async def _explain(self, location: tuple[int, int], at: Offset, pause: float, *, said: bool) -> None:
        await asyncio.sleep(pause)
        editor, catalogue = self._screen.query_one(Editor), self._known()
        line, column = location
        if catalogue is None or line >= editor.document.line_count:
            return
        name = at_cursor(editor.text, editor.document.get_line(line), column, catalogue)
        if name is None and said and (call := called(editor.text, _text_before(editor), catalogue)):
            name = call.name
        self._shown_at = editor.cursor_location
        if name is not None:
            self._popup.show_name(name, at)
        elif said:
            self._screen.notify("Nothing is known about this name in the image.")

    def _known(self) -> NameCatalogue | None:
        """Return the catalogue; ask the engine the first time, and never again where it does not know."""
        key = (self._screen.query_one(Editor).code_language, self.image)
        if key not in self._catalogues:
            self._catalogues[key] = None
            run_in_background(self._screen, partial(self._load, *key), f"catalogue {key[0]} {key[1]}")
        return self._catalogues[key]

    async def _load(self, language: Language, image: str) -> None:
        try:
            names = await console_app(self._screen).connection.client.code_names(language, image)
        except Problem:  # completion is no reason to disturb; the words of the code are still completed
            self._catalogues.pop((language, image), None)
            return
        self._catalogues[language, image] = await asyncio.to_thread(NameCatalogue, names, language)
        if self._awaited:
            await self._suggest()

    def take_key(self, key: str) -> bool:
        """Return whether a key was for the popup."""
        popup = self._popup
        if key == "escape":
            return popup.close()
        if self._screen.query_one(Editor).cursor_location != self._shown_at:
            return False
        if popup.lists and key in MOVES:
            popup.move(MOVES[key])
            return True
        if key in TAKES and (chosen := popup.chosen) and (key == "tab" or popup.moved):
            self._insert(chosen[0], chosen[1].word)
            return True
        return False

    def _insert(self, prefix: str, word: str) -> None:
        editor = self._screen.query_one(Editor)
        line, column = editor.cursor_location
        self._popup.close()
        editor.replace_in_one_step(word, (line, column - len(prefix)), (line, column))


def _rest(found: Candidates) -> str:
    """Return how the best name goes on after what was typed."""
    best = found.names[0].word
    return best[len(found.prefix) :] if found.prefix and best.startswith(found.prefix) else ""


def _text_before(editor: Editor) -> str:
    """Return the text before the cursor, as far as a call can begin there."""
    line, column = editor.cursor_location
    return str(editor.document.get_text_range((max(0, line - 40), 0), (line, column)))[-LOOK_BACK:]
