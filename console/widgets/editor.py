"""The editor of Explore: a text area with the colours and the marks of Review."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import TextArea

from console.highlight import Token, highlight
from console.ink import ink
from console.widgets.code_lines import Mark, marks_of, split_lines
from engine.models import Language, Violation
from engine.text import mark

COLOURED_CHARACTERS = 64 * 1024
"""Larger text is edited without colours: they are worked out on every change."""


class Editor(TextArea):
    """Edits code; draws syntax colours and underlines violations where they were found."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("", id=id, classes="box", show_line_numbers=True, tab_behavior="indent",
                         soft_wrap=False, theme="css", highlight_cursor_line=True)  # fmt: skip
        self.code_language = Language.PYTHON
        self._tokens: list[list[Token]] = []
        self._tokens_of: tuple[str, Language] | None = None
        self._marks: dict[int, list[Mark]] = {}

    def mark(self, violations: tuple[Violation, ...]) -> None:
        """Underline violations."""
        self._marks = marks_of(violations, split_lines(self.text))
        self._repaint()

    def colour(self) -> None:
        """Work the colours out again."""
        known = (self.text, self.code_language)
        if known != self._tokens_of:
            self._tokens_of = known
            small = len(self.text) <= COLOURED_CHARACTERS
            self._tokens = highlight(self.text, self.code_language) if small else []
            self._repaint()

    def _repaint(self) -> None:
        self._line_cache.clear()
        self.refresh()

    def get_line(self, line_index: int) -> Text:
        """Return a line with its colours; every character of it made visible."""
        line = Text(_one_for_one(self.document.get_line(line_index)), end="", no_wrap=True)
        if line_index < len(self._tokens):
            for start, end, name in self._tokens[line_index]:
                line.stylize(ink(self, name), start, end)
        for found in self._marks.get(line_index, ()):
            line.stylize(ink(self, f"underline on mark-{found.level.value}"), found.start, found.end)
        return line


def _one_for_one(line: str) -> str:
    """Return the line with a stand-in of one character for each that would not show as itself."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(each if each == "\t" or mark(each) == each else _stand_in(each) for each in line)


def _stand_in(character: str) -> str:
    shown = mark(character)
    return shown if len(shown) == 1 else "\ufffd"
