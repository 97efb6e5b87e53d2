"""The notebooks of Explore: one for each tab, all in one session."""

from __future__ import annotations

from pathlib import Path

from textual.screen import Screen

from console.app.state import console_app
from console.explore.cells.notebook import Notebook
from console.explore.cells.script import cell_at
from console.explore.draft_keeper import DraftKeeper
from console.explore.drafts import DraftStore
from console.explore.preview.server_preview import ServerPreview
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText

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
        from console.explore.cells.screen import CellsScreen  # noqa: PLC0415  on its first use

        editor, notebook = self._typed.editor, self.current
        notebook.image = image
        cells = notebook.cells(editor.text, editor.code_language)
        at = cell_at(cells, editor.cursor_location[0])
        await self._typed.save()
        shown = CellsScreen(notebook, cells, editor.code_language, at, run=run)
        line = await console_app(self._screen).push_screen_wait(shown)
        if line is not None:
            editor.move_cursor(editor.clamp_visitable((line, 0)), center=True)
