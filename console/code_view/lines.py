"""How code becomes rows on a screen: every character shown, long lines wrapped, marks on exact columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len

from console.safety.text import visible_text
from engine.common.text import is_marked, mark
from engine.models import Level, Span, Violation

TAB = "→   "


class Row(NamedTuple):
    """A stretch of one line that fits the screen; characters `start` up to `end`."""

    line: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mark:
    """The part of a violation that lies on one line; `index` is the violation's."""

    start: int
    end: int
    level: Level
    index: int


def split_lines(code: str) -> list[str]:
    """Return the lines of `code` as the interpreters count them: `\\n` alone ends a line."""
    lines = code.split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def plain(line: str) -> bool:
    """Say whether every character of `line` is one cell and shown as itself."""
    return line.isascii() and line.isprintable()


def display(line: str, index: int) -> str:
    """Return what stands for character `index` of `line`."""
    character = line[index]
    if character == "\t":
        return TAB
    return mark(character)


def odd(character: str) -> bool:
    """Say whether a character is shown as a stand-in."""
    return character != "\t" and is_marked(character)


def wrap(lines: Sequence[str], width: int | None) -> list[Row]:
    """Return the rows of all lines; with no width, one row for each line."""
    rows: list[Row] = []
    for number, line in enumerate(lines):
        if width is None or (len(line) <= width and plain(line)):
            rows.append(Row(number, 0, len(line)))
        elif plain(line):
            rows.extend(Row(number, at, min(at + width, len(line))) for at in range(0, len(line), width))
        else:
            rows.extend(_wrap_odd(number, line, width))
    return rows


def _wrap_odd(number: int, line: str, width: int) -> Iterable[Row]:
    start = used = 0
    for index in range(len(line)):
        cells = cell_len(display(line, index))
        if used + cells > width and index > start:
            yield Row(number, start, index)
            start, used = index, 0
        used += cells
    yield Row(number, start, len(line))


def pieces(line: str, row: Row) -> list[tuple[int, str, bool]]:
    """Return a row as (first character, text on screen, whether it is a stand-in)."""
    text = line[row.start : row.end]
    if plain(text):
        return [(row.start, text, False)]
    return [(index, display(line, index), odd(line[index])) for index in range(row.start, row.end)]


def width_of(line: str) -> int:
    """Return the cells that a line takes."""
    return len(line) if plain(line) else sum(cell_len(display(line, index)) for index in range(len(line)))


def marks_of(violations: Sequence[Violation], lines: Sequence[str]) -> dict[int, list[Mark]]:
    """Return the marks of every line, the least severe first, so that the most severe is painted last."""
    marks: dict[int, list[Mark]] = {}
    for index, violation in enumerate(violations):
        for span in (violation.span, *violation.related):
            for line, start, end in _on_lines(span, lines):
                marks.setdefault(line, []).append(Mark(start, end, violation.severity, index))
    for found in marks.values():
        if len(found) > 1:
            found.sort(key=lambda mark: mark.level.rank)
    return marks


def spans_of(spans: Iterable[Span], lines: Sequence[str]) -> dict[int, list[tuple[int, int]]]:
    """Return on which characters of every line spans lie."""
    found: dict[int, list[tuple[int, int]]] = {}
    for span in spans:
        for line, start, end in _on_lines(span, lines):
            found.setdefault(line, []).append((start, end))
    return found


def _on_lines(span: Span, lines: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    last = min(span.end_line, len(lines))
    for number in range(min(span.line, len(lines)), last + 1):
        length = len(lines[number - 1])
        indent = length - len(lines[number - 1].lstrip(" \t"))
        start = span.column - 1 if number == span.line else indent
        end = span.end_column - 1 if number == span.end_line else length
        start = min(start, length)
        yield number - 1, start, max(min(end, length), min(start + 1, length))


def find(lines: Sequence[str], text: str) -> list[tuple[int, int, int]]:
    """Return every match of `text`, ignoring case, as (line, start, end)."""
    pattern = re.compile(re.escape(text), re.IGNORECASE)
    return [
        (number, found.start(), found.end())
        for number, line in enumerate(lines)
        for found in pattern.finditer(line)
    ]


def label(text: str) -> str:
    """Return text for a border: one line, made visible."""
    return visible_text(text.replace("\n", " "))
