"""Putting a file, a notebook or a snippet in place of what is typed, which is saved before."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from textual.screen import Screen

from console.explore import file_watch, snippets
from console.explore.cells.notebooks import SUFFIX, Notebooks
from console.explore.followed_file import FollowedFile
from console.explore.typed_text import TypedText


class Replacing:
    """Asks for a file or a snippet and shows it in the editor; `changed` is called after each change."""

    def __init__(
        self,
        screen: Screen[None],
        text: TypedText,
        file: FollowedFile,
        notebooks: Notebooks,
        changed: Callable[[], None],
    ) -> None:
        self._screen = screen
        self._text = text
        self._file = file
        self._notebooks = notebooks
        self._changed = changed

    async def open_file(self) -> None:
        """Ask for a file: a notebook is opened, any other is followed."""
        from console.explore.open_file import OpenScreen  # noqa: PLC0415  on its first use

        start = self._file.path.parent if self._file.path else Path.cwd()
        path = await self._screen.app.push_screen_wait(OpenScreen(start))
        if path is None:
            return
        await self._save_typed()
        try:
            await self._show_file(path)
        except ValueError as error:
            self._screen.notify(str(error), severity="error")
        self._changed()

    async def _show_file(self, path: Path) -> None:
        if path.suffix == SUFFIX:
            await self._notebooks.open(path)
        else:
            self._file.follow(path, await asyncio.to_thread(file_watch.read, path))

    async def choose_snippet(self) -> None:
        """Ask for a snippet, and show it."""
        from console.explore.snippet_list import SnippetsScreen  # noqa: PLC0415  on its first use

        saved = await asyncio.to_thread(snippets.load)
        chosen = await self._screen.app.push_screen_wait(SnippetsScreen(saved))
        if chosen is not None:
            await self._save_typed()
            self._file.stop()
            self._text.replace(chosen)
            self._changed()

    async def _save_typed(self) -> None:
        self._notebooks.forget()
        if self._file.path is None:
            await self._text.save()
