"""The lines in which two pieces of code differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from console.code_view.lines import split_lines
from engine.common.text import Untrusted, many

AROUND = 3
MOST_LINES = 20_000
"""Longer code is compared up to here."""


@dataclass(frozen=True)
class Line:
    """A line of a difference: `+` is new, `-` was there, a blank is the same, `…` stands for many."""

    sign: str
    number: int
    """The line's number in the newer code, or in the older one where it is gone; 0 where there is none."""
    text: Untrusted


def difference(before: str, after: str) -> tuple[Line, ...]:
    """Return the lines that differ, with three around each; empty where none does."""
    old, new = split_lines(before)[:MOST_LINES], split_lines(after)[:MOST_LINES]
    groups = list(SequenceMatcher(None, old, new).get_grouped_opcodes(AROUND))
    lines: list[Line] = []
    for number, group in enumerate(groups):
        if number:
            lines.append(_skipped(groups[number - 1][-1][4], group[0][3]))
        for opcode in group:
            lines += _lines(opcode, old, new)
    return tuple(lines)


def _lines(opcode: tuple[str, int, int, int, int], old: list[str], new: list[str]) -> Iterator[Line]:
    kind, old_from, old_to, new_from, new_to = opcode
    if kind == "equal":
        for index in range(new_from, new_to):
            yield Line(" ", index + 1, Untrusted(new[index]))
        return
    for index in range(old_from, old_to):
        yield Line("-", index + 1, Untrusted(old[index]))
    for index in range(new_from, new_to):
        yield Line("+", index + 1, Untrusted(new[index]))


def _skipped(end: int, start: int) -> Line:
    return Line("…", 0, Untrusted(f"{many(start - end, 'line')} the same"))
