"""The notebooks of Explore: one for each tab, all in one session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.worker import Worker

from console.app.state import console_app
from console.app.workers import run_in_background
from console.explore.cells.notebook import Notebook
from console.explore.cells.script import Cell, cell_at
from console.explore.draft_keeper import DraftKeeper
from console.explore.drafts import DraftStore
from console.explore.preview.server_preview import ServerPreview
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText

if TYPE_CHECKING:
    from console.explore.cells.screen import CellsScreen

SUFFIX = ".ipynb"


class Notebooks:
    """Knows the notebook of the tab that is shown."""

    def __init__(
        self,
        screen: Screen[None],
        typed: TypedText,
        drafts: DraftKeeper,
        session: OpenSession,
        preview: ServerPreview,
    ) -> None:
        self._screen = screen
        self._typed = typed
        self._drafts = drafts
        self._session = session
        self._preview = preview
        self._known: dict[DraftStore, Notebook] = {}
        self._view: CellsScreen | None = None

    @property
    def current(self) -> Notebook:
        """The notebook of the tab that is shown."""
        store = self._drafts.store
        if store not in self._known:
            self._known[store] = Notebook(console_app(self._screen), self._session, self._preview)
        return self._known[store]

    def forget(self) -> None:
        """Forget the notebook of the tab that is shown: another text takes its place."""
        self._known.pop(self._drafts.store, None)

    async def open(self, path: Path) -> None:
        """Read a notebook file into the editor. Raises ValueError, naming the file and the reason."""
        self.forget()
        self._typed.show(*await self.current.open(path))

    async def show(self, image: str, *, run: bool) -> None:
        """Show the cells of the editor, and run the one at the cursor if `run`, until the person is back."""
        editor, notebook = self._typed.editor, self.current
        notebook.image = image
        cells = notebook.cells(editor.text, editor.code_language)
        at = cell_at(cells, editor.cursor_location[0])
        begun = self._begin(notebook, cells, at) if run else None
        keep = partial(self._typed.save_later, self._typed.current)
        run_in_background(self._screen, keep, "snippet", exclusive=False)
        if begun is not None:
            await notebook.runner.with_engine()
        view = self._opened_view()
        view.load(notebook, cells, editor.code_language, at, begun)
        line = await console_app(self._screen).push_screen_wait(view)
        if line is not None:
            editor.move_cursor(editor.clamp_visitable((line, 0)), center=True)

    def _opened_view(self) -> CellsScreen:
        """Return the one view of cells: it is kept, since making one takes longer than most cells."""
        from console.explore.cells.screen import CellsScreen  # noqa: PLC0415  on its first use

        if self._view is None:
            self._view = CellsScreen()
            console_app(self._screen).install_screen(self._view, "cells")
        return self._view

    def _begin(self, notebook: Notebook, cells: Sequence[Cell], at: int) -> Worker[bool] | None:
        """Begin to run a cell: it is with the engine before its view is painted."""
        if notebook.runner.running is not None or not cells:
            return None
        notebook.runner.viewed.clear()
        work = notebook.run(cells, [at], self._typed.editor.code_language)
        return self._screen.run_worker(work, group="cells", exclusive=True)
