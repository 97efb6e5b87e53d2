"""The list of what is still unread of a submission; Enter goes there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.safety.text import Part, Text, clip
from console.widgets.footer import KeyFooter
from console.widgets.formatting import badge
from console.widgets.rows import Rows
from engine.common.review_coverage import CoverageGaps
from engine.common.text import Untrusted, many
from engine.models import Case


class UnreadKind(StrEnum):
    """What has to be read, or resolved."""

    LINES = "lines"
    VIOLATION = "violation"
    UNRESOLVED = "resolve"
    FILE = "input file"
    PURPOSE = "purpose"


@dataclass(frozen=True)
class UnreadPart:
    """One part that is unread: its line, the number of its violation or file, and what it says."""

    kind: UnreadKind
    at: int
    title: str
    text: Text


def unread_list(gaps: CoverageGaps, case: Case) -> tuple[UnreadPart, ...]:
    """Return what is unread, one part for each place: code, violations, input files, the purpose."""
    return (*_code(gaps, case), *_violations(gaps, case), *_others(gaps, case))


def _code(gaps: CoverageGaps, case: Case) -> Iterator[UnreadPart]:
    lines = case.submission.draft.code.text.split("\n")
    for first, last in gaps.lines:
        title = f"{first}–{last}, {many(last - first + 1, 'line')}" if last > first else str(first)
        begins = next((line for line in lines[first - 1 : last] if line.strip()), "")
        yield UnreadPart(UnreadKind.LINES, first, title, Untrusted(begins.strip()))


def _violations(gaps: CoverageGaps, case: Case) -> Iterator[UnreadPart]:
    for number in sorted({*gaps.violations, *gaps.untriaged}):
        one = case.analysis.violations[number]
        kind = UnreadKind.VIOLATION if number in gaps.violations else UnreadKind.UNRESOLVED
        yield UnreadPart(kind, number, f"line {one.span.line}, {badge(one.severity)[0]}", one.message)


def _others(gaps: CoverageGaps, case: Case) -> Iterator[UnreadPart]:
    for number in gaps.files:
        yield UnreadPart(UnreadKind.FILE, number, str(number + 1), case.submission.draft.files[number].name)
    if gaps.purpose:
        yield UnreadPart(UnreadKind.PURPOSE, 0, "", case.submission.draft.purpose)


class UnreadRows(Rows):
    """One row for each part that is unread."""

    def __init__(self, parts: tuple[UnreadPart, ...]) -> None:
        super().__init__(id="unread")
        self.parts = parts

    @property
    def count(self) -> int:
        """How many parts are unread."""
        return len(self.parts)

    def on_mount(self) -> None:
        """Take the rows in."""
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw what it is, where, and how it begins."""
        part = self.parts[index]
        return [" ", (f"{part.kind.value:<11}", "bold warning"), f"{part.title:<20} ",
                (clip(part.text, max(4, width - 34)), "muted")]  # fmt: skip


class UnreadScreen(ModalScreen[UnreadPart | None]):
    """Returns the part that was chosen, or None."""

    AUTO_FOCUS = "#unread"
    DEFAULT_CSS = """
    UnreadScreen .sheet { width: 96%; height: 80%; }
    UnreadScreen UnreadRows { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,U,q", "leave", "Close", id="unread.close", tooltip="Back to the code"),
    ]

    def __init__(self, parts: tuple[UnreadPart, ...]) -> None:
        super().__init__()
        self._parts = parts

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = f"Unread: {many(len(self._parts), 'part')}"
            sheet.border_subtitle = "Enter: go there   Esc: close"
            yield UnreadRows(self._parts)
        yield KeyFooter()

    @on(Rows.Chosen)
    def _chosen(self, message: Rows.Chosen) -> None:
        self.dismiss(self._parts[message.index])

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
