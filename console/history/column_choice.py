"""Choosing the columns of the History table."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.history.columns import COLUMNS
from console.safety.text import Part
from console.widgets.footer import KeyFooter
from console.widgets.rows import Rows


class ColumnRows(Rows):
    """One row for each column that there is."""

    def __init__(self, chosen: tuple[str, ...]) -> None:
        super().__init__(id="columns-list")
        self.chosen = set(chosen)

    @property
    def count(self) -> int:
        """How many columns there are."""
        return len(COLUMNS)

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = self.count
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a column's name, and whether it is shown."""
        name = list(COLUMNS)[index]
        sign: Part = ("[x]", "bold primary") if name in self.chosen else ("[ ]", "muted")
        return [" ", sign, f" {COLUMNS[name].title}"]

    def toggle(self) -> None:
        """Show the column under the cursor, or hide it."""
        self.chosen ^= {list(COLUMNS)[self.cursor]}
        self.refresh()


class ColumnsScreen(ModalScreen[tuple[str, ...] | None]):
    """Returns the chosen columns; none: those for the width. None where nothing is to change."""

    AUTO_FOCUS = "#columns-list"
    HELP_TITLE = "Columns"
    HELP_WORDS = (
        "Space shows a column or hides it, Enter keeps the choice for the next time. Columns that do not "
        "fit are left out from the right. Without any, the width decides."
    )
    DEFAULT_CSS = """
    ColumnsScreen ColumnRows { background: $surface; max-height: 18; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space", "choose_column", "Choose", id="columns.toggle", tooltip="Show the column, or hide it"
        ),
        Binding("enter", "keep", "Keep", id="columns.keep", priority=True, tooltip="Keep this choice"),
        Binding("escape,q", "leave", "Back", id="columns.leave", tooltip="Back; nothing changes"),
    ]

    def __init__(self, chosen: tuple[str, ...]) -> None:
        super().__init__()
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Columns"
            yield ColumnRows(self._chosen)
        yield KeyFooter()

    def action_choose_column(self) -> None:
        """Show the column under the cursor, or hide it."""
        self.query_one(ColumnRows).toggle()

    def action_keep(self) -> None:
        """Return the choice, in the order of the table."""
        chosen = self.query_one(ColumnRows).chosen
        self.dismiss(tuple(name for name in COLUMNS if name in chosen))

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
