"""A box beside the cursor: names to choose from, or what one name is. It never has the focus."""

from __future__ import annotations

from textual.geometry import Offset
from textual.widgets import Static

from console.app.textual_patches import update_height
from console.explore.names.candidates import Call, Candidates
from console.explore.names.catalogue import CodeName
from console.safety.text import Part, clip, pad, paragraphs
from engine.models.code_names import NameKind

ROWS = 8
WORD_CELLS, TEXT_CELLS = 26, 44
WIDEST = 76
LEFT_CELLS = 3
"""What stands before the words of a row."""
LETTERS = {NameKind.MODULE: "m", NameKind.CLASS: "c", NameKind.FUNCTION: "f", NameKind.VALUE: "v"}


class NamePopup(Static):
    """Shows names, the chosen one marked, or one name in full."""

    DEFAULT_CSS = """
    NamePopup {
        overlay: screen; constrain: inside inflect; width: auto; height: auto; max-height: 12; display: none;
        background: $panel; padding: 0 1;
    }
    """

    def __init__(self) -> None:
        super().__init__(id="names")
        self._found = Candidates()
        self._chosen = 0
        self.moved = False
        """Whether a row was chosen by a key."""

    @property
    def lists(self) -> bool:
        """Whether names are shown to choose from."""
        return self.display and bool(self._found.names)

    @property
    def chosen(self) -> tuple[str, CodeName] | None:
        """What was typed of a name, and the chosen name."""
        names = self._found.names
        return (self._found.prefix, names[self._chosen]) if self.lists else None

    def show_names(self, found: Candidates, at: Offset) -> None:
        """Show names below a place of the screen."""
        self._found, self._chosen, self.moved = found, 0, False
        self._open(at + Offset(-len(found.prefix) - LEFT_CELLS, 1))
        self._show_rows()

    def show_call(self, call: Call, at: Offset) -> None:
        """Show the parameters of what is called, above a place of the screen."""
        self._show_parts(
            [[(call.name.word, "bold"), (clip(call.name.signature, WIDEST - len(call.name.word)), "muted")]],
            at + Offset(0, -1),
        )

    def show_name(self, name: CodeName, at: Offset) -> None:
        """Show all that is known of a name."""
        head: list[Part] = [(name.name, "bold"), ("  ", ""), (name.kind, "accent")]
        more: list[list[Part]] = [[each] for each in (name.signature, name.summary) if each]
        self._show_parts([head, *more], at + Offset(0, 1))
        self.styles.max_width = WIDEST

    def move(self, step: int) -> None:
        """Choose another row."""
        self._chosen = (self._chosen + step) % max(1, len(self._found.names))
        self.moved = True
        self._show_rows()

    def close(self) -> bool:
        """Hide the box; return whether it was open."""
        was, self.display = self.display, False
        self._found = Candidates()
        return was

    def _show_parts(self, lines: list[list[Part]], at: Offset) -> None:
        self._found = Candidates()
        self._open(at)
        self.update(paragraphs(*lines))

    def _open(self, at: Offset) -> None:
        """Show the box at a place; where it is there already, nothing is laid out again."""
        if self.display and self.absolute_offset == at:
            return
        self.absolute_offset = at
        self.display = True

    def _show_rows(self) -> None:
        names = self._found.names
        first = max(0, min(self._chosen - ROWS // 2, len(names) - ROWS))
        rows = [self._row(first + at, name) for at, name in enumerate(names[first : first + ROWS])]
        count: list[list[Part]] = [[(f"{self._chosen + 1} of {len(names)}  Tab takes it", "muted")]]
        update_height(self, paragraphs(*rows, *(count if len(names) > ROWS else [])))

    def _row(self, index: int, name: CodeName) -> list[Part]:
        style = "reverse" if index == self._chosen else ""
        told = name.signature if name.signature else name.summary
        wide = self.screen.size.width >= 100
        text = pad(told, TEXT_CELLS) if wide else pad(told, TEXT_CELLS - 14)
        return [
            (LETTERS[NameKind(name.kind)], "accent"),
            (f" {pad(name.word, WORD_CELLS)} ", style),
            (text, "muted"),
        ]
