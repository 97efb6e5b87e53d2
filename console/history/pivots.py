"""What leads on from a case or a figure: questions, each of which becomes the search of History."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.safety.text import Part, clip
from console.widgets.rows import Rows
from engine.common.text import Untrusted
from engine.history.search.pivots import Pivot


class PivotList(Rows):
    """One row for each question."""

    def __init__(self, pivots: Sequence[Pivot]) -> None:
        super().__init__()
        self._pivots = pivots

    @property
    def count(self) -> int:
        """How many questions there are."""
        return len(self._pivots)

    @property
    def chosen(self) -> Pivot:
        """The question under the cursor."""
        return self._pivots[self.cursor]

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a question. It quotes agents and guests."""
        return [" ", clip(Untrusted(self._pivots[index].words), width - 2)]


class PivotScreen(ModalScreen[str | None]):
    """Asks what to look at next; the answer is a query."""

    HELP_TITLE = "Pivot"
    HELP_WORDS = "Each line is a question that this raises. Enter searches the history for it."
    DEFAULT_CSS = """
    PivotScreen { align: center middle; }
    PivotScreen Vertical { width: 80%; max-width: 100; height: 70%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Close", id="pivot.leave", tooltip="Close the list"),
    ]

    def __init__(self, pivots: Sequence[Pivot]) -> None:
        super().__init__()
        self._pivots = pivots

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="box") as box:
            box.border_title = "Pivot"
            box.border_subtitle = "Enter searches   Esc closes"
            yield PivotList(self._pivots)

    def on_mount(self) -> None:
        """Focus the list."""
        self.query_one(PivotList).focus()

    @on(Rows.Chosen)
    def _chosen(self, message: Rows.Chosen) -> None:
        message.stop()
        self.dismiss(self.query_one(PivotList).chosen.query)

    def action_leave(self) -> None:
        """Close the list without an answer."""
        self.dismiss(None)
