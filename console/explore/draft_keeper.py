"""Saves the texts of the editor while they are typed, and brings them back when the console is opened."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

from textual.screen import Screen

from console.app.workers import run_in_background
from console.explore.drafts import DraftStore, folder
from console.explore.editing.draft_writer import DraftWriter
from console.explore.snippets import SavedSnippet
from console.explore.typed_text import TypedText

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
        self._writer = DraftWriter(lambda error: screen.call_later(self._warn, error))
        self._is_open = False

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
        self._writer.put(self._store, self._typed.snapshot())

    async def flush(self) -> None:
        """Save the text now, if it is not saved yet."""
        if self._is_open:
            await self._do(self._writer.flush)

    async def discard(self) -> None:
        """Forget the draft of the text that is in the editor; `switch` comes next."""
        await self._do(partial(self._writer.discard, self._store))

    async def _do(self, work: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(work)
        except OSError as error:
            self._warn(error)

    def stop(self) -> None:
        """Save the text now, and leave the drafts to the next console."""
        try:
            self._writer.close()
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
        self._is_open = True
        self._writer.start()
        restored(left)

    async def _bring_back(self, draft: SavedSnippet) -> None:
        if self._typed.current.code.text:
            await self._typed.save(draft)
        else:
            self._typed.replace(draft)

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
