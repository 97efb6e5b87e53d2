"""A script as cells: each begins with a line `# %%`, or `// %%` in JavaScript. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from console.explore.editing.indentation import COMMENT
from engine.models import Language

HEAD = re.compile(r"(?:#|//) ?%%(.{0,1000})")


class CellKind(StrEnum):
    """What a cell holds."""

    CODE = "code"
    MARKDOWN = "markdown"
    RAW = "raw"


@dataclass(frozen=True)
class Cell:
    """A part of a script. What is before the first head is a cell, too, unless it is blank."""

    source: str
    kind: CellKind = CellKind.CODE
    title: str = ""
    line: int = 0
    """The line of the script with its first line, counted from 0."""


def split(text: str, language: Language) -> tuple[Cell, ...]:
    """Return the cells of a script."""
    cells = list[Cell]()
    head, first, lines = "", 0, list[str]()
    known = False
    for number, line in enumerate([*text.split("\n"), "# %%"]):
        found = HEAD.fullmatch(line.rstrip("\r"))
        if found is None:
            lines.append(line)
            continue
        if known or any(each.strip() for each in lines):
            cells.append(_cell(head, lines, first, language))
        known, head, first, lines = True, found[1], number + 1, []
    return tuple(cells)


def joined(cells: Iterable[Cell], language: Language) -> str:
    """Return the script that `split` makes these cells of; trailing blank lines of a cell are not kept."""
    return "\n".join(f"{_head(cell, language)}\n{_written(cell, language)}\n" for cell in cells)


def cell_at(cells: tuple[Cell, ...], line: int) -> int:
    """Return the index of the cell in which a line of the script is."""
    return max((index for index, cell in enumerate(cells) if cell.line - 1 <= line), default=0)


def _cell(head: str, lines: list[str], first: int, language: Language) -> Cell:
    kind = next((each for each in CellKind if f"[{each.value}]" in head), CellKind.CODE)
    title = head.replace(f"[{kind.value}]", "").strip()
    source = "\n".join(lines).rstrip()
    if kind is not CellKind.CODE:
        source = "\n".join(_uncommented(line, COMMENT[language]) for line in source.split("\n"))
    return Cell(source, kind, title, first)


def _head(cell: Cell, language: Language) -> str:
    kind = f"[{cell.kind.value}]" if cell.kind is not CellKind.CODE else ""
    return " ".join(filter(None, (f"{COMMENT[language]} %%", cell.title, kind)))


def _written(cell: Cell, language: Language) -> str:
    source = cell.source.rstrip()
    if cell.kind is CellKind.CODE:
        return source
    sign = COMMENT[language]
    return "\n".join(f"{sign} {line}" if line else sign for line in source.split("\n")) if source else ""


def _uncommented(line: str, sign: str) -> str:
    return line.removeprefix(sign).removeprefix(" ") if line.startswith(sign) else line
