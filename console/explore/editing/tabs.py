"""The tabs of the editor: several texts, each with its own draft and undo steps; one of them is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from textual.document._history import EditHistory
from textual.widgets.text_area import Selection

from console.explore import file_watch
from console.explore.draft_keeper import DraftKeeper, Left
from console.explore.drafts import DraftStore
from console.explore.followed_file import FollowedFile
from console.explore.snippets import SavedSnippet
from console.explore.typed_text import TypedText
from console.safety.text import first_line

MOST_TABS = 9
LONGEST_NAME = 18


@dataclass
class Tab:
    """A text that is not shown now. `snippet` is None where there is none yet."""

    draft: DraftStore
    snippet: SavedSnippet | None = None
    history: EditHistory | None = None
    selection: Selection = field(default_factory=Selection)
    path: Path | None = None
    """The file that is followed in it."""
    title: str = ""
    """The file of a sandbox that is open in it."""

    @property
    def name(self) -> str:
        """Its file, or the first line of its text."""
        if self.path is not None or self.title:
            return (self.path.name if self.path else self.title)[:LONGEST_NAME]
        return first_line(self.snippet.code)[:LONGEST_NAME] if self.snippet else ""


class Tabs:
    """Shows one tab in the editor and keeps the others. `changed` is called after each change."""

    def __init__(
        self, typed: TypedText, drafts: DraftKeeper, file: FollowedFile, changed: Callable[[], None]
    ) -> None:
        self._typed = typed
        self._drafts = drafts
        self._file = file
        self._changed = changed
        self._tabs = [Tab(drafts.store)]
        self.active = 0
        """Which tab is shown."""

    @property
    def names(self) -> list[str]:
        """The names of all tabs, at least one."""
        title = self._tabs[self.active].title
        shown = Tab(self._drafts.store, self._typed.beginning, path=self._file.path, title=title).name
        return [shown if at == self.active else tab.name for at, tab in enumerate(self._tabs)]

    def adopt(self, left: list[Left]) -> None:
        """Add tabs for drafts that an earlier console left."""
        self._tabs += [Tab(draft, snippet) for draft, snippet in left]
        self._changed()

    @property
    def store(self) -> DraftStore:
        """The draft of the tab that is shown."""
        return self._drafts.store

    async def new(self, title: str = "") -> bool:
        """Show an empty tab; False where there are `MOST_TABS` already."""
        if len(self._tabs) == MOST_TABS:
            return False
        draft = DraftStore()
        await asyncio.to_thread(draft.begin)
        await self._keep()
        self._tabs.insert(self.active + 1, Tab(draft, title=title))
        await self._show(self.active + 1)
        return True

    async def go(self, step: int) -> None:
        """Show the next tab, or the one before; after the last comes the first."""
        await self.show((self.active + step) % len(self._tabs))

    async def show(self, index: int) -> None:
        """Show a tab."""
        if index != self.active and index < len(self._tabs):
            await self._keep()
            await self._show(index)

    async def close(self) -> None:
        """Save the text of the shown tab among the snippets and close it; the last one becomes empty."""
        await self._typed.save()
        self._file.stop()
        if len(self._tabs) == 1:
            self._typed.editor.text = ""
            return
        await self._drafts.discard()
        del self._tabs[self.active]
        self.active = min(self.active, len(self._tabs) - 1)
        await self._show(self.active)

    async def _keep(self) -> None:
        """Keep what is shown in its tab."""
        if self._file.path is None:
            self._drafts.changed()
        await self._drafts.flush()
        tab, editor = self._tabs[self.active], self._typed.editor
        tab.snippet, tab.selection, tab.path = self._typed.current, editor.selection, self._file.path
        tab.history = editor.history
        editor.history = _steps_like(editor.history)

    async def _show(self, index: int) -> None:
        """Show a tab in place of one that was kept or closed."""
        self._file.stop()
        self.active, tab = index, self._tabs[index]
        self._drafts.switch(tab.draft)
        if tab.snippet is None:
            self._typed.clear()
        else:
            self._typed.replace(tab.snippet)
        if tab.history is not None:
            self._typed.editor.history = tab.history
        self._typed.editor.selection = tab.selection
        if tab.path is not None:
            self._follow(tab.path)
        self._typed.editor.focus()
        self._changed()

    def _follow(self, path: Path) -> None:
        """Follow a file again; where it cannot be read any more, its last text stays."""
        try:
            self._file.follow(path, file_watch.read(path))
        except ValueError as error:
            self._typed.editor.notify(str(error), severity="warning")


def _steps_like(history: EditHistory) -> EditHistory:
    """Return undo steps for another text, without any yet."""
    return EditHistory(
        max_checkpoints=history.max_checkpoints,
        checkpoint_timer=history.checkpoint_timer,
        checkpoint_max_characters=history.checkpoint_max_characters,
    )
