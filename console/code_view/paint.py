"""How one row of code is painted: tokens, then violations, then what a search found, then stand-ins."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from console.code_view.lines import TAB, Mark, Row, pieces
from console.code_view.margin import Margin
from console.theming.highlight import Token
from console.theming.styles import style_of
from console.widgets.formatting import SHAPES
from engine.common.text import many


@dataclass
class Paint:
    """The tokens, violations and matches on the lines of one code, and how they are painted."""

    lines: list[str] = field(default_factory=list)
    tokens: list[list[Token]] = field(default_factory=list)
    marks: dict[int, list[Mark]] = field(default_factory=dict)
    found: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    unproven: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """The places that are not proven harmless: a faint mark, where no violation has one."""
    changed: frozenset[int] = frozenset()
    """The lines that are new in a revision."""
    margin: Margin = field(default_factory=Margin)
    current: int | None = None
    """The index of the selected violation."""

    @property
    def digits(self) -> int:
        """Return the width of a line number."""
        return max(3, len(str(len(self.lines))))

    @property
    def gutter_cells(self) -> int:
        """Return the width of all that is before the text."""
        return self.margin.width + self.digits + 4

    def gutter(self, row: Row, base: Style, widget: Widget) -> Strip:
        """Return the margin, the sign of the most severe violation on the line, and the line's number."""
        marks = self.marks.get(row.line, [])
        sign = Segment("  ", base)
        if marks and row.start == 0:
            worst = marks[-1].level
            sign = Segment(SHAPES[worst] + " ", base + style_of(widget, f"bold risk-{worst.value}"))
        elif row.line in self.unproven and row.start == 0:
            sign = Segment("~ ", base + style_of(widget, "muted"))
        here = self.current is not None and any(mark.index == self.current for mark in marks)
        number = f"{row.line + 1:>{self.digits}}" if row.start == 0 else "↳".rjust(self.digits)
        style = base + style_of(widget, "bold foreground" if here else "faint")
        new = Segment("  ", base)
        if row.line in self.changed:
            new = Segment("+ ", base + style_of(widget, "bold success"))
        margin = self.margin.segments(row.line + 1 if row.start == 0 else 0, base, widget)
        return Strip([*margin, sign, Segment(number, style), new])

    def fold(self, row: Row, base: Style, widget: Widget) -> Strip:
        """Return the row that stands for folded lines."""
        violating = sum(bool(self.marks.get(line)) for line in range(row.line + 1, row.line + row.end + 1))
        words = f"⋯ {many(row.end, 'line')} folded"
        words += f", {violating:,} with violations" if violating else ""
        return Strip(
            [Segment(" " * self.gutter_cells, base), Segment(words, base + style_of(widget, "bold warning"))]
        )

    def text(self, row: Row, base: Style, widget: Widget) -> Strip:
        """Return the characters of a row."""
        edges = self._edges(row)
        segments: list[Segment] = []
        for start, text, stand_in in pieces(self.lines[row.line], row):
            if stand_in or text == TAB:
                style = self._style(row.line, start, base, widget)
                segments.append(
                    Segment(text, style + style_of(widget, "error reverse" if stand_in else "faint"))
                )
            else:
                segments += self._runs(row.line, start, text, edges, base, widget)
        return Strip(segments)

    def _runs(
        self, line: int, start: int, text: str, edges: list[int], base: Style, widget: Widget
    ) -> list[Segment]:
        end = start + len(text)
        cuts = [start, *(edge for edge in edges if start < edge < end), end]
        return [
            Segment(text[low - start : high - start], self._style(line, low, base, widget))
            for low, high in pairwise(cuts)
            if high > low
        ]

    def _edges(self, row: Row) -> list[int]:
        edges = {row.start, row.end}
        edges.update(edge for token in self._tokens(row.line) for edge in token[:2])
        edges.update(edge for mark in self.marks.get(row.line, ()) for edge in (mark.start, mark.end))
        edges.update(edge for pair in self.unproven.get(row.line, ()) for edge in pair)
        edges.update(edge for pair in self.found.get(row.line, ()) for edge in pair)
        return sorted(edges)

    def _tokens(self, line: int) -> list[Token]:
        return self.tokens[line] if line < len(self.tokens) else []

    def _style(self, line: int, at: int, base: Style, widget: Widget) -> Style:
        style = base
        for start, end, name in self._tokens(line):
            if start <= at < end:
                style += style_of(widget, name)
                break
        if any(start <= at < end for start, end in self.unproven.get(line, ())):
            style += style_of(widget, "on panel")
        for mark in self.marks.get(line, ()):
            if mark.start <= at < mark.end:
                style += style_of(widget, self._mark_style(mark))
        if any(start <= at < end for start, end in self.found.get(line, ())):
            style += style_of(widget, "on found")
        return style

    def _mark_style(self, mark: Mark) -> str:
        name = mark.level.value
        if mark.index == self.current:
            return f"bold underline risk-{name} on mark-{name}"
        return f"underline on mark-{name}"
