"""The search line of History, with completions and errors below it."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Static

from console.safety.text import Part, content, visible_text
from engine.models import FilterHelp

OFFERED = 12
HINT = "Enter searches, Tab completes, Ctrl+S saves the search, Esc closes"


class FilterInput(Input):
    """The input for a filter; Tab takes the first completion of its last word."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "Complete", id="history.complete", tooltip="Complete the word"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id, compact=True, select_on_focus=False,
            placeholder='risk:critical kill:memory since:7d text:"requests.get"',
        )  # fmt: skip
        self.completions: tuple[str, ...] = ()
        self._taken: tuple[str, ...] = ()

    def action_complete(self) -> None:
        """Take the first completion, or the next one after that; without any go to the next widget."""
        finished = self.value in self._taken and not self.value.endswith(":")
        if not finished:
            self._taken = tuple(each for each in self.completions if each != self.value)
        if not self._taken:
            self.screen.focus_next()
            return
        place = self._taken.index(self.value) + 1 if finished else 0
        self.value = self._taken[place % len(self._taken)]
        self.cursor_position = len(self.value)


class FilterLine(Vertical):
    """The input and its help."""

    DEFAULT_CSS = """
    FilterLine { height: 4; display: none; padding: 0 1; }
    FilterLine.-open { display: block; }
    FilterLine #help { height: 1; padding: 0 1; }
    """

    def compose(self) -> ComposeResult:
        """Lay out the input and its help."""
        yield FilterInput(id="filter")
        yield Static(id="help")

    def on_mount(self) -> None:
        """Show the keys."""
        self.explain(None)

    def explain(self, offered: FilterHelp | None) -> None:
        """Show the completions of the last word, or what is wrong with the filter."""
        self.query_one(FilterInput).completions = offered.completions if offered else ()
        self.query_one("#help", Static).update(content(*self._parts(offered)))

    def _parts(self, found: FilterHelp | None) -> list[Part]:
        typed = self.query_one(FilterInput).value
        if found is None or not typed:
            return [(HINT, "muted")]
        offered = [each[_last_word(typed) :] for each in found.completions[:OFFERED] if each != typed]
        if found.position is None or (offered and found.position >= _last_word(typed)):
            return [("  ".join(offered) or HINT, "muted")]
        before = cell_len(visible_text(typed[: found.position]))
        room = before if before < self.size.width // 2 else 0
        return [" " * room, ("^ ", "bold error"), (f"{found.problem}. {found.hint}".strip(), "error")]


def _last_word(text: str) -> int:
    """Return where the last word of a text begins."""
    return len(text) if not text or text[-1].isspace() else len(text) - len(text.rsplit(maxsplit=1)[-1])
