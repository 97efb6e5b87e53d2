"""Which lines ran, as a margin of their code: the guest's word. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.code_view.margin import Cell, Margin
from console.safety.text import Part
from engine.common.line_text import WORD, hits_text, lines_summary, time_text
from engine.common.text import many
from engine.models.lines import LineMark, RunLines

_HITS, _TIME = 5, 6
_CELLS = 1 + _HITS + _TIME
_MUCH = 0.2
"""A line that took this share of all time stands out."""


def line_margin(lines: RunLines) -> Margin:
    """Return the margin of one run; nothing where no line is marked."""
    if not lines.marks:
        return Margin()
    total = _total(lines)
    cells = {mark.line: (*_cell(lines, mark, total), (" ", "")) for mark in lines.marks}
    return Margin(_CELLS + 1, cells)


@dataclass(frozen=True)
class LineDifference:
    """In which lines two runs of the same code differ: lines, counted from 1."""

    first_only: frozenset[int]
    second_only: frozenset[int]
    raised: frozenset[int]
    """Those that raised in one of the two."""

    @property
    def lines(self) -> frozenset[int]:
        """All of them."""
        return self.first_only | self.second_only | self.raised


def line_difference(first: RunLines, second: RunLines) -> LineDifference:
    """Return in which lines the runs differ; counts and times may differ in every line."""
    one, two = _ran(first), _ran(second)
    raised = _raised(first) ^ _raised(second)
    return LineDifference(first_only=one - two, second_only=two - one, raised=raised)


def both_margin(first: RunLines, second: RunLines) -> Margin:
    """Return the margin of two runs: the first, the second, and which of them alone ran a line."""
    differs = line_difference(first, second)
    sides = [({mark.line: mark for mark in each.marks}, each, _total(each)) for each in (first, second)]
    cells: dict[int, Cell] = {}
    for line in set(sides[0][0]) | set(sides[1][0]):
        cell = [part for marks, each, total in sides for part in _side(each, marks.get(line), total)]
        cells[line] = (*cell, _sign(line, differs))
    return Margin(2 * _CELLS + 3, cells) if cells else Margin()


def difference_parts(first: RunLines, second: RunLines) -> list[Part]:
    """Return in one line how two runs differ."""
    differs = line_difference(first, second)
    if not first.marks or not second.marks:
        return [(f"one of the runs has no marked lines; {WORD}", "warning")]
    if not differs.lines:
        return [("The same lines ran and raised", "success"), (f", {WORD}", "muted")]
    counts = [f"{many(len(differs.first_only), 'line')} only in -", f"{len(differs.second_only)} only in +",
              f"{len(differs.raised)} raised only in one"]  # fmt: skip
    return [(", ".join(counts), "warning")]


def summary_parts(lines: RunLines) -> list[Part]:
    """Return what is known of the lines of one run, in one line."""
    return [(lines_summary(lines), "error" if _raised(lines) else "muted")]


def noted_lines(lines: RunLines) -> frozenset[int]:
    """Return the lines that raised or took much of the time."""
    total = _total(lines)
    return frozenset(mark.line for mark in lines.marks if mark.raised or _much(mark, total))


def next_line(lines: Iterable[int], after: int) -> int:
    """Return the first of `lines` after one, from the start again after the last; 0 where there is none."""
    ordered = sorted(lines)
    return next((line for line in ordered if line > after), ordered[0] if ordered else 0)


def _cell(lines: RunLines, mark: LineMark, total: int) -> Cell:
    style = "bold warning" if _much(mark, total) else "muted"
    hits = hits_text(lines, mark) if mark.hits else ""
    return (
        ("!" if mark.raised else " ", "bold error"),
        (f"{hits:>{_HITS}}", "error" if mark.raised else "success"),
        (f"{time_text(mark.milliseconds):>{_TIME}}", style),
    )


def _side(lines: RunLines, mark: LineMark | None, total: int) -> Cell:
    return _cell(lines, mark, total) if mark else ((" " * _CELLS, ""),)


def _sign(line: int, differs: LineDifference) -> tuple[str, str]:
    if line in differs.first_only:
        return " - ", "bold error"
    return (" + ", "bold success") if line in differs.second_only else ("   ", "")


def _ran(lines: RunLines) -> frozenset[int]:
    return frozenset(mark.line for mark in lines.marks)


def _raised(lines: RunLines) -> frozenset[int]:
    return frozenset(mark.line for mark in lines.marks if mark.raised)


def _total(lines: RunLines) -> int:
    return sum(mark.milliseconds for mark in lines.marks)


def _much(mark: LineMark, total: int) -> bool:
    return mark.milliseconds >= _MUCH * total > 0
