"""The code of a run with the lines that ran, how often and for how long; alone, or beside another run."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.code_view.view import CodeView
from console.run.line_margin import (
    both_margin,
    difference_parts,
    line_difference,
    line_margin,
    next_line,
    noted_lines,
    summary_parts,
)
from console.safety.text import Part, content
from console.widgets.footer import KeyFooter
from engine.client.client import Client
from engine.models import Case
from engine.models.lines import RunLines

REFRESH_SECONDS = 1.0


class LinesScreen(ModalScreen[None]):
    """Shows the lines of one run, and follows them while it goes on; or those of two runs."""

    AUTO_FOCUS = "#ran"
    HELP_TITLE = "Marked lines"
    HELP_WORDS = (
        "Before each line of the code: ! where it raised, how often it ran, and how long the program was on "
        "it. 100+ means at least 100. This is the guest's own word: its interpreter counts, and "
        "hostile code can forge it. Of two runs, - marks a line that only the first ran, + one that only "
        "the second ran."
    )
    DEFAULT_CSS = """
    LinesScreen .sheet { width: 96%; max-width: 100%; height: 92%; }
    LinesScreen #said { height: 1; padding: 0 1; }
    LinesScreen CodeView { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "next", "Next", id="lines.next",
                tooltip="Go to the next line that raised, took much time, or differs between two runs"),
        Binding("escape,q,l", "leave", "Close", id="lines.close", tooltip="Close"),
    ]  # fmt: skip

    def __init__(self, first: str, second: str = "") -> None:
        super().__init__()
        self._ids = (first, second) if second else (first,)
        self._found: tuple[RunLines, ...] = ()
        self._noted: frozenset[int] = frozenset()
        self._last = 0

    def compose(self) -> ComposeResult:
        """Lay out what is known in a line, and the code."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = f"Marked lines, as the guest says: {self._title()}"
            yield Static("Loading …", id="said")
            yield CodeView(id="ran")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Show the code, and follow the lines."""
        self._open()

    @work(exclusive=True, group="open")
    async def _open(self) -> None:
        case = await console_app(self).connection.call(lambda client: client.case(self._ids[0]))
        if case is None:
            return
        draft = case.submission.draft
        self.query_one(CodeView).show(draft.code, draft.language, ())
        await self._read(case)
        if case.result is None:
            self.set_interval(REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        online = console_app(self).connection_state == "connected"
        if online and (not self._found or any(each.partial for each in self._found)):
            self._load()

    @work(exclusive=True, group="lines")
    async def _load(self) -> None:
        await self._read(None)

    async def _read(self, case: Case | None) -> None:
        """Show what is known by now; `case` is the run where it is known."""
        found = await console_app(self).connection.call(self._lines)
        if found is None or found == self._found:
            return
        self._found = found
        view, said = self.query_one(CodeView), self.query_one("#said", Static)
        said.update(content(*self._words(case)))
        view.show_margin(line_margin(found[0]) if len(found) == 1 else both_margin(*found))
        self._noted = noted_lines(found[0]) if len(found) == 1 else line_difference(*found).lines

    async def _lines(self, client: Client) -> tuple[RunLines, ...]:
        return tuple([await client.lines(id) for id in self._ids])

    def _words(self, case: Case | None) -> list[Part]:
        if len(self._found) == 2:
            return difference_parts(*self._found)
        if not self._found[0].marks and case is not None and case.started_at is None:
            return [("It did not run.", "muted")]
        return summary_parts(self._found[0])

    def _title(self) -> str:
        return f"- {self._ids[0]}   + {self._ids[1]}" if len(self._ids) == 2 else self._ids[0]

    def action_next(self) -> None:
        """Go to the next noted line."""
        self._last = next_line(self._noted, self._last)
        if self._last:
            self.query_one(CodeView).go_to(self._last)
        else:
            self.notify("No line raised, took much of the time or differs.")

    def action_leave(self) -> None:
        """Close the sheet."""
        self.dismiss(None)
