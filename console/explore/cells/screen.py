"""The cells of the script in the editor, with what each gave below it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import ScreenResume
from textual.screen import ModalScreen
from textual.theme import Theme
from textual.widgets import Footer, Input, Static
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from console.explore.cells import exports, variables
from console.explore.cells.box import CellBox
from console.explore.cells.notebook import Notebook
from console.explore.cells.results import begins_to_write
from console.explore.cells.script import Cell
from console.explore.cells.variables_sheet import VariablesScreen
from console.safety.text import content
from console.widgets.file_name_prompt import FileNamePrompt
from console.widgets.footer import AppFooter
from console.widgets.rows import NARROW
from engine.common.errors import Problem
from engine.common.text import many
from engine.models import Language

MOST_BOXES = 200
"""Cells that are shown; all of them run."""
REFRESH_SECONDS = 0.1


class CellsScreen(ModalScreen["int | None"]):
    """Runs cells, and returns the line at which the editor goes on, or None."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Cells"
    HELP_WORDS = (
        "Each cell begins with a line `# %%` (`// %%` in JavaScript) and runs in one session: what a cell "
        "defines, the next one can use. What it printed and displayed stands below it."
    )
    DEFAULT_CSS = """
    CellsScreen #cells { height: 1fr; }
    CellsScreen #about { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "move(1)", "Down", id="cells.down", show=False, tooltip="Next cell"),
        Binding("up,k", "move(-1)", "Up", id="cells.up", show=False, tooltip="Previous cell"),
        Binding("enter,e", "edit", "Edit", id="cells.edit", tooltip="Edit this cell"),
        Binding("r", "run", "Run", id="cells.run", tooltip="Run this cell and go to the next"),
        Binding("a", "run_all", "All", id="cells.run-all", tooltip="Run every cell until one fails"),
        Binding("b", "run_above", "Above", id="cells.run-above", tooltip="Run every cell above this one"),
        Binding("i", "interrupt", "Interrupt", id="cells.interrupt",
                tooltip="Interrupt the cell that runs; the session goes on"),
        Binding("R", "restart", "Restart", id="cells.restart", tooltip="Begin with an empty session"),
        Binding("v", "variables", "Variables", id="cells.variables",
                tooltip="List the variables of the session"),
        Binding("p,alt+p", "preview", "Preview", id="cells.preview", key_display="p", show=False,
                tooltip="Show the server that a cell started in your browser: copies a link that works once"),
        Binding("w", "write", "Save", id="cells.save", tooltip="Save the notebook file that was opened"),
        Binding("x", "export", "Export", id="cells.export",
                tooltip="Export as a notebook (.ipynb), a script or an HTML report, by the name of the file"),
        Binding("escape,q", "leave", "Back", id="cells.leave", tooltip="Back to the editor"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._cells: tuple[Cell, ...] = ()
        self._language = Language.PYTHON
        self._chosen = 0
        self._begun: Worker[bool] | None = None
        self._shown_at = 0.0
        self._said = content()
        self._theme: Theme | None = None
        """The theme of the styles that are in force here: working out all of them takes long."""

    def load(
        self,
        notebook: Notebook,
        cells: tuple[Cell, ...],
        language: Language,
        chosen: int,
        begun: Worker[bool] | None,
    ) -> None:
        """Take the cells to show once this view is open; `begun` runs the chosen one already."""
        self._notebook = notebook
        self._cells = cells
        self._language = language
        self._chosen = min(chosen, max(0, len(cells) - 1))
        self._begun = begun
        notebook.runner.changed = self._changed

    def compose(self) -> ComposeResult:
        """Lay out the cells."""
        with VerticalScroll(classes="sheet", id="cells") as sheet:
            sheet.border_title = "Cells"
            sheet.can_focus = False
            yield Static(id="about")
        yield FileNamePrompt()
        yield AppFooter()

    def on_mount(self) -> None:
        """Keep what is shown up to date."""
        self.set_interval(REFRESH_SECONDS, self._refresh)

    async def on_screen_resume(self, event: ScreenResume) -> None:
        """Show the cells, what is known of them, and what comes."""
        theme = self.app.current_theme
        event.refresh_styles, self._theme = self._theme is not theme, theme
        await self._lay_out()
        self._choose(self._chosen)
        self._notebook.runner.viewed.set()
        await self._refresh()
        if (begun := self._begun) is not None:
            self._begun = None
            self._then_next(begun)

    async def _lay_out(self) -> None:
        """Show the cells of now in the boxes that are there, and in more or fewer."""
        boxes, cells = list(self.query(CellBox)), self._cells[:MOST_BOXES]
        for box, cell in zip(boxes, cells, strict=False):
            box.show_cell(cell, self._language)
        for box in boxes[len(cells) :]:
            await box.remove()
        more = list(enumerate(cells, start=1))[len(boxes) :]
        if more:
            fresh = [CellBox(cell, number, self._language) for number, cell in more]
            await self.query_one("#cells").mount(*fresh)

    def _changed(self, index: int) -> None:
        """Show what changed: at once where it is a cell's first output, or nothing was shown just now."""
        boxes = self.query(CellBox)[index : index + 1]
        result = self._notebook.runner.results[index]
        begins = any(begins_to_write(box.result, result) for box in boxes)
        if begins or monotonic() - self._shown_at > REFRESH_SECONDS:
            self._shown_at = monotonic()
            self.call_later(self._refresh)

    async def _refresh(self) -> None:
        """Show the cells whose results changed, and the session, where somebody sees them."""
        if not self.is_current:
            return
        for index, box in enumerate(self.query(CellBox)):
            result = self._notebook.runner.results.get(index)
            if box.result is not result:
                self._shown_at = monotonic()
                await box.show(result)
        self._describe()

    def on_resize(self) -> None:
        """Make the footer compact where the screen is narrow."""
        self.query_one(Footer).compact = self.size.width < NARROW

    def _describe(self) -> None:
        hidden = len(self._cells) - MOST_BOXES
        more = f"  the first {MOST_BOXES} are shown" if hidden > 0 else ""
        session, running = self._notebook.session.current, self._notebook.runner.running
        state = f"session {session.id}" if session else "no session yet: it opens with the first run"
        work = f"  cell {running + 1} runs" if running is not None else ""
        link = (f"  {self._notebook.preview.link('')}", "accent")
        words = content(many(len(self._cells), "cell"), more, "  ", state, work, link)
        if not words.is_same(self._said):
            self._said = words
            self.query_one("#about", Static).update(words, layout=False)

    def _choose(self, index: int) -> None:
        boxes = list(self.query(CellBox))
        self._chosen = max(0, min(index, len(boxes) - 1))
        for at, box in enumerate(boxes):
            box.set_class(at == self._chosen, "-chosen")
        if boxes:
            boxes[self._chosen].scroll_visible(animate=False)

    def action_move(self, step: int) -> None:
        """Choose another cell."""
        self._choose(self._chosen + step)

    # --- running ----------------------------------------------------------------------------------

    def action_run(self) -> None:
        """Run the chosen cell, and choose the next."""
        self._start([self._chosen])

    def action_run_all(self) -> None:
        """Run every cell."""
        self._start(range(len(self._cells)))

    def action_run_above(self) -> None:
        """Run every cell above the chosen one."""
        self._start(range(self._chosen))

    def _start(self, indexes: Iterable[int]) -> None:
        if self._notebook.runner.running is not None:
            self.notify("A cell runs already. i interrupts it.", severity="warning")
        elif self._cells:
            self._run(list(indexes))

    @work(exclusive=True, group="cells")
    async def _run(self, indexes: list[int]) -> None:
        at = self._chosen
        succeeded = await self._notebook.run(self._cells, indexes, self._language)
        if self._chosen != at:
            return
        if indexes == [at]:
            self._choose(at + succeeded)
        elif indexes:
            self._choose(self._notebook.runner.last)

    @work(group="begun")
    async def _then_next(self, begun: Worker[bool]) -> None:
        """Choose the next cell once the one that began before this view has succeeded."""
        at = self._chosen
        with contextlib.suppress(WorkerFailed, WorkerCancelled):
            if await begun.wait() and self._chosen == at:
                self._choose(at + 1)

    @work(group="interrupt")
    async def action_interrupt(self) -> None:
        """Interrupt the cell that runs."""
        await self._notebook.runner.interrupt()

    @work(exclusive=True, group="cells")
    async def action_restart(self) -> None:
        """Close the session; the next run opens another."""
        await self._notebook.restart()
        self.notify("The session is closed. The next run begins with an empty one.")

    @work(exclusive=True, group="variables")
    async def action_variables(self) -> None:
        """Ask the session for its variables, and list them."""
        if self._language is not Language.PYTHON or self._notebook.session.current is None:
            self.notify("Run a cell of Python first.", severity="warning")
            return
        found = await self._notebook.ask(variables.CODE, variables.PURPOSE, self._language)
        known = variables.parsed(found) if found is not None else None
        if known is None:
            self.notify("The session did not say what its variables are.", severity="warning")
        else:
            self.app.push_screen(VariablesScreen(known))

    @work(group="preview")
    async def action_preview(self) -> None:
        """Show what a cell serves in a browser."""
        await self._notebook.preview.open(None, "\n".join(cell.source for cell in self._cells))

    # --- files ------------------------------------------------------------------------------------

    def action_export(self) -> None:
        """Ask for the name of a file."""
        self.query_one(FileNamePrompt).ask("Export as .ipynb, .html or a script", "notebook.ipynb")

    @on(Input.Submitted, "FileNamePrompt")
    def _file_named(self, message: Input.Submitted) -> None:
        self.query_one(FileNamePrompt).close()
        results = self._notebook.runner.results
        self._save(partial(exports.export, message.value, self._language, self._cells, dict(results)))

    def action_write(self) -> None:
        """Save the notebook file that was opened."""
        if self._notebook.origin is None:
            self.notify("No notebook file was opened. x exports to a new file.", severity="warning")
        else:
            self._save(partial(self._notebook.write, self._language, self._cells))

    @work(exclusive=True, group="save")
    async def _save(self, save: Callable[[], str]) -> None:
        try:
            name = await asyncio.to_thread(save)
        except Problem as problem:
            self.notify(str(problem), severity="error")
        else:
            self.notify(f"Saved {name}")

    # --- leaving ----------------------------------------------------------------------------------

    def action_edit(self) -> None:
        """Go on in the editor, at the chosen cell."""
        self.dismiss(self._cells[self._chosen].line if self._cells else None)

    def action_leave(self) -> None:
        """Close the line for a file name, or go back to the editor."""
        if not self.query_one(FileNamePrompt).close():
            self.dismiss(None)
