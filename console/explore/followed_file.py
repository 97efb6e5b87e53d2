"""A file that is edited in another editor and shown in Explore."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from functools import partial
from pathlib import Path

from textual.screen import Screen

from console.app.workers import run_in_background
from console.explore import file_watch
from console.explore.editing.language import detected
from console.explore.editor import Editor


class FollowedFile:
    """Shows a file in the locked editor, and shows it again whenever it is saved."""

    def __init__(
        self, screen: Screen[None], changed: Callable[[], None], submit: Callable[[], object]
    ) -> None:
        self.path: Path | None = None
        """The followed file."""
        self.run_on_save = False
        self._screen = screen
        self._changed = changed
        self._submit = submit

    def follow(self, path: Path, text: str) -> None:
        """Show a file with its text, and follow it."""
        editor = self._screen.query_one(Editor)
        known = file_watch.LANGUAGES.get(path.suffix) or detected(text)
        editor.code_language = known or editor.code_language
        self.path = path
        editor.set_locked(True)
        editor.text = text
        self._changed()
        run_in_background(self._screen, partial(self._watch, path), "follow")

    async def _watch(self, path: Path) -> None:
        editor = self._screen.query_one(Editor)
        async with aclosing(file_watch.saved(path)) as texts:
            async for text in texts:
                position = editor.cursor_location
                editor.text = text
                editor.move_cursor(position)
                if self.run_on_save:
                    self._submit()

    def stop(self) -> None:
        """Stop following, and unlock the editor."""
        self._screen.workers.cancel_group(self._screen, "follow")
        self.path, self.run_on_save = None, False
        self._screen.query_one(Editor).set_locked(False)
        self._screen.query_one(Editor).focus()
        self._changed()

    def toggle_run_on_save(self) -> None:
        """Submit the file whenever it is saved, or no longer."""
        self.run_on_save = not self.run_on_save
        self._changed()
