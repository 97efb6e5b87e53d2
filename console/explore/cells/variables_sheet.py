"""The list of a session's variables."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.explore.cells.variables import Variable
from console.safety.text import Part, clip, content, pad
from console.widgets.formatting import size
from console.widgets.rows import Rows
from engine.common.text import many


class VariableRows(Rows):
    """One row per variable."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("No variables yet.", "muted")],)

    def __init__(self, variables: tuple[Variable, ...]) -> None:
        super().__init__(id="variables")
        self._variables = variables

    @property
    def count(self) -> int:
        """How many variables there are."""
        return len(self._variables)

    def sort(self, *, by_size: bool) -> None:
        """List the largest first, or in the order of their names."""
        self._variables = tuple(sorted(
            self._variables, key=lambda each: (-each.bytes if by_size else 0, each.name.text)))  # fmt: skip
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw name, type, size, and the value or the length."""
        each = self._variables[index]
        about: Part = each.value if each.length is None else f"{each.length:,} long"
        return [" ", (pad(each.name, 24), "primary"), (pad(each.kind, 16), "foreground"),
                (f"{size(each.bytes):>10}  ", "muted"),
                clip(about if not isinstance(about, tuple) else about[0], max(0, width - 53))]  # fmt: skip


class VariablesScreen(ModalScreen[None]):
    """Shows the variables; `s` lists the largest first."""

    HELP_TITLE = "Variables"
    HELP_WORDS = "The variables of the session with their type and own size, as the guest tells them."
    DEFAULT_CSS = """
    VariablesScreen VariableRows { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "sort", "Sort", id="cells.sort-variables", tooltip="By size, or by name again"),
        Binding("escape,q,v", "leave", "Back", id="cells.leave-variables", tooltip="Back to the cells"),
    ]

    def __init__(self, variables: tuple[Variable, ...]) -> None:
        super().__init__()
        self._variables = variables
        self._by_size = False

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            total = sum(each.bytes for each in self._variables)
            sheet.border_title = "Variables"
            sheet.border_subtitle = content(
                f"{many(len(self._variables), 'variable')}, {size(total)}  s sorts  Esc back"
            )
            yield VariableRows(self._variables)

    def on_mount(self) -> None:
        """Start in the list."""
        self.query_one(VariableRows).refit()
        self.query_one(VariableRows).focus()

    def action_sort(self) -> None:
        """Sort by size, or by name."""
        self._by_size = not self._by_size
        self.query_one(VariableRows).sort(by_size=self._by_size)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
