"""The difference between a submission and the most similar approved one."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.code_view.difference import Line, difference
from console.code_view.lines import plain
from console.safety.text import Part, content
from console.widgets.footer import KeyFooter
from console.widgets.formatting import now, when
from console.widgets.rows import Rows
from engine.common.presentation import text_to_review
from engine.common.text import Untrusted
from engine.models import Case, SimilarSubmission

STYLES = {"+": "success", "-": "error", " ": "muted", "…": "faint"}


class DifferenceRows(Rows):
    """The lines that differ, with their context; long lines are wrapped."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("No difference.", "bold success")],)

    def __init__(self) -> None:
        super().__init__(id="difference")
        self._lines: tuple[Line, ...] = ()
        self._rows: list[tuple[Line, Untrusted]] = []

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def show(self, lines: tuple[Line, ...]) -> None:
        """Show lines, from the first on."""
        self._lines = lines
        self.cursor = 0
        self._lay_out()

    def on_resize(self) -> None:
        """Wrap the lines to the new width."""
        self._lay_out()

    def _lay_out(self) -> None:
        room = max(8, self.size.width - 8)
        self._rows = [(line, part) for line in self._lines for part in _wrapped(line, room)]
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a row: the sign, the line's number where it begins, and its text."""
        each, text = self._rows[index]
        begins = index == 0 or self._rows[index - 1][0] is not each
        number = f"{each.number:>5}" if begins and each.number else " " * 5
        return [
            (f"{each.sign} ", f"bold {STYLES[each.sign]}"),
            (number, "faint"),
            " ",
            (text, STYLES[each.sign]),
        ]


class CompareScreen(ModalScreen[None]):
    """Shows the difference to an approved submission."""

    AUTO_FOCUS = "#difference"
    DEFAULT_CSS = """
    CompareScreen .sheet { width: 96%; height: 92%; }
    CompareScreen #about { height: 2; }
    CompareScreen DifferenceRows { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,c,q", "leave", "Close", id="compare.close", tooltip="Back to the submission"),
    ]

    def __init__(self, case: Case, nearest: SimilarSubmission) -> None:
        super().__init__()
        self._case = case
        self._nearest = nearest

    def compose(self) -> ComposeResult:
        """Lay out who approved the other submission, and the difference."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = f"Compare with {self._nearest.id}: {self._nearest.similarity:.0%} similar"
            sheet.border_subtitle = "+ added   - removed   Esc: close"
            yield Static(id="about")
            yield DifferenceRows()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the other submission."""
        self._load()

    @work
    async def _load(self) -> None:
        other = await console_app(self).connection.call(lambda client: client.case(self._nearest.id))
        if other is None:
            self.dismiss()
            return
        texts = [text_to_review(case.submission.draft).text for case in (other, self._case)]
        lines = await asyncio.to_thread(difference, *texts)
        self.query_one("#about", Static).update(content(*_about(other)))
        self.query_one(DifferenceRows).show(lines)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()


def _about(other: Case) -> list[Part]:
    decision = other.decision
    if decision is None:
        return [("not decided", "muted")]
    said: list[Part] = [(": ", "muted"), decision.reason] if decision.reason else []
    return [("approved by ", "muted"), (decision.by.name, "success"),
            (f" {when(decision.at, now())}", "muted"), *said]  # fmt: skip


def _wrapped(line: Line, room: int) -> list[Untrusted]:
    text = line.text.text
    if not plain(text):
        room //= 2  # a character may take two cells, or be shown as a mark
    return [Untrusted(text[at : at + room]) for at in range(0, max(1, len(text)), room)]
