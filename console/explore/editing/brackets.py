"""The bracket that belongs to another one, looked for within bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

CLOSING = {"(": ")", "[": "]", "{": "}"}
OPENING = {closing: opening for opening, closing in CLOSING.items()}
READ_CHARACTERS = 50_000
"""A partner further away is not found: brackets are matched at every move of the cursor."""

Location = tuple[int, int]


def partner(lines: Sequence[str], at: Location) -> Location | None:
    """Return the place of the bracket that belongs to the one at a place; None where there is none."""
    line, column = at
    bracket = lines[line][column : column + 1] if line < len(lines) else ""
    if bracket in CLOSING:
        return _balanced(_forwards(lines, at), bracket, CLOSING[bracket])
    if bracket in OPENING:
        return _balanced(_backwards(lines, at), bracket, OPENING[bracket])
    return None


def _balanced(places: Iterator[tuple[str, Location]], same: str, other: str) -> Location | None:
    depth = 0
    for character, place in places:
        depth += (character == same) - (character == other)
        if depth == 0:
            return place
    return None


def _forwards(lines: Sequence[str], at: Location) -> Iterator[tuple[str, Location]]:
    left, start = READ_CHARACTERS, at[1]
    for line in range(at[0], len(lines)):
        for column in range(start, len(lines[line])):
            yield lines[line][column], (line, column)
        left, start = left - len(lines[line]) - 1, 0
        if left < 0:
            return


def _backwards(lines: Sequence[str], at: Location) -> Iterator[tuple[str, Location]]:
    left, start = READ_CHARACTERS, at[1]
    for line in range(at[0], -1, -1):
        for column in range(min(start, len(lines[line]) - 1), -1, -1):
            yield lines[line][column], (line, column)
        left, start = left - len(lines[line]) - 1, READ_CHARACTERS
        if left < 0:
            return
