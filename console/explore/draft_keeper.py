"""Saves the text of the editor while it is typed, and brings it back when the console is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.screen import Screen

from console.app.workers import run_in_background
from console.explore.drafts import DraftStore, folder
from console.explore.typed_text import TypedText

SAVE_SECONDS = 0.3
"""A change is on disk this long after it at most, and the time that writing takes."""


class DraftKeeper:
    """Saves what is typed while the screen lives, and brings back what an earlier console left.

    `restored` is called when that was done. The text of a file that is followed is not typed.
    """

    def __init__(self, screen: Screen[None], typed: TypedText, restored: Callable[[], None]) -> None:
        self._screen = screen
        self._typed = typed
        self._restored = restored
        self._store = DraftStore()
        self._pending = False
        self._writing = asyncio.Lock()

    def start(self) -> None:
        """Bring back the newest draft that no other console has open."""
        self._typed.attach()
        run_in_background(self._screen, self._open, "draft-open")

    def changed(self) -> None:
        """Save the text soon."""
        if not self._pending:
            self._pending = True
            run_in_background(self._screen, self._save_soon, "draft", exclusive=False)

    def stop(self) -> None:
        """Save the text now, and leave the draft to the next console."""
        try:
            if self._pending:
                self._store.save(self._typed.current)
            self._store.close()
        except OSError:
            return

    async def _open(self) -> None:
        try:
            draft = await asyncio.to_thread(self._store.open)
        except OSError as error:
            self._warn(error)
            return
        if draft is None:
            return
        if self._typed.current.code.text:
            await self._typed.save(draft)
            return
        self._typed.replace(draft)
        self._restored()

    async def _save_soon(self) -> None:
        await asyncio.sleep(SAVE_SECONDS)
        async with self._writing:
            self._pending = False
            try:
                await asyncio.to_thread(self._store.save, self._typed.current)
            except OSError as error:
                self._warn(error)

    def _warn(self, error: OSError) -> None:
        message = f"{folder()} cannot be used, so what you type is not saved: {error.strerror}"
        self._screen.notify(message, severity="warning")
