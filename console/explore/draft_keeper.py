"""Saves the texts of the editor while they are typed, and brings them back when the console is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from textual.screen import Screen

from console.app.workers import run_in_background
from console.explore.drafts import DraftStore, folder
from console.explore.snippets import SavedSnippet
from console.explore.typed_text import TypedText

SAVE_SECONDS = 0.3
"""A change is on disk this long after it at most, and the time that writing takes."""
MOST_LEFT = 8
"""More drafts than this beside the newest one are left to a later console."""

Left = tuple[DraftStore, SavedSnippet]
"""A draft that an earlier console left."""


class DraftKeeper:
    """Saves what is typed while the screen lives, and brings back what an earlier console left.

    The text of a file that is followed is not typed.
    """

    def __init__(self, screen: Screen[None], typed: TypedText) -> None:
        self._screen = screen
        self._typed = typed
        self._store = DraftStore()
        self._opened = [self._store]
        self._pending = False
        self._writing = asyncio.Lock()

    @property
    def store(self) -> DraftStore:
        """The draft of the text that is in the editor."""
        return self._store

    def switch(self, store: DraftStore) -> None:
        """Take another draft for the text that is in the editor from now on; `flush` comes first."""
        self._store = store
        if store not in self._opened:
            self._opened.append(store)

    def start(self, restored: Callable[[list[Left]], None]) -> None:
        """Bring back the drafts that no other console has open.

        `restored` is called when that was done, with the drafts beside the one in the editor.
        """
        run_in_background(self._screen, partial(self._open, restored), "draft-open")

    def changed(self) -> None:
        """Save the text soon."""
        if not self._pending:
            self._pending = True
            run_in_background(self._screen, self._save_soon, "draft", exclusive=False)

    async def flush(self) -> None:
        """Save the text now, if it is not saved yet."""
        async with self._writing:
            if not self._pending:
                return
            self._pending = False
            try:
                await asyncio.to_thread(self._store.save, self._typed.current)
            except OSError as error:
                self._warn(error)

    async def discard(self) -> None:
        """Forget the draft of the text that is in the editor; `switch` comes next."""
        async with self._writing:
            self._pending = False
            try:
                await asyncio.to_thread(self._store.discard)
            except OSError as error:
                self._warn(error)

    def stop(self) -> None:
        """Save the text now, and leave the drafts to the next console."""
        try:
            if self._pending:
                self._store.save(self._typed.current)
        except OSError:
            return
        finally:
            for store in self._opened:
                store.close()

    async def _open(self, restored: Callable[[list[Left]], None]) -> None:
        left = list[Left]()
        try:
            draft = await asyncio.to_thread(self._store.open)
            if draft is not None:
                left = await asyncio.to_thread(_take_over_others)
        except OSError as error:
            self._warn(error)
            return
        self._opened += [store for store, _ in left]
        if draft is not None:
            await self._bring_back(draft)
        restored(left)

    async def _bring_back(self, draft: SavedSnippet) -> None:
        if self._typed.current.code.text:
            await self._typed.save(draft)
        else:
            self._typed.replace(draft)

    async def _save_soon(self) -> None:
        await asyncio.sleep(SAVE_SECONDS)
        await self.flush()

    def _warn(self, error: OSError) -> None:
        message = f"{folder()} cannot be used, so what you type is not saved: {error.strerror}"
        self._screen.notify(message, severity="warning")


def _take_over_others() -> list[Left]:
    """Take over drafts that no console has open, the newest first."""
    left = list[Left]()
    for _ in range(MOST_LEFT):
        store = DraftStore()
        if (draft := store.take_over()) is None:
            break
        left.append((store, draft))
    return left
