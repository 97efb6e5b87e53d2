"""Renders output like a terminal, but only its colours, carriage returns and line erasing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from console.safety.text import visible_text

MAX_LINE = 4000
"""Characters of a line that are kept for the screen."""

_SGR = re.compile("\x1b\\[([0-9;]{0,64})m")
_ERASE = re.compile("\x1b\\[([012]?)K")
_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_OFF = {22: "not bold not dim", 23: "not italic", 24: "not underline", 27: "not reverse", 29: "not strike"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One displayed character and its style."""

    text: str
    style: Style


def segments(line: str, base: Style) -> list[Segment]:
    """Return a line as segments: SGR colours apply, every other control is shown as a mark."""
    if line.isascii() and line.isprintable():
        return [Segment(line, base)]
    line = line.removesuffix("\r")
    if "\r" in line or "\b" in line or _ERASE.search(line):
        return _overwritten(line, base)
    return [Segment(_expanded(text), style) for text, style in _styled(line, base)]


def _expanded(text: str) -> str:
    return visible_text(text.expandtabs(8))


def _styled(line: str, base: Style) -> list[tuple[str, Style]]:
    runs, style, at = [], base, 0
    for sequence in _SGR.finditer(line):
        if sequence.start() > at:
            runs.append((line[at : sequence.start()], style))
        style, at = _changed(sequence[1], style, base), sequence.end()
    if at < len(line):
        runs.append((line[at:], style))
    return runs


def _overwritten(line: str, base: Style) -> list[Segment]:
    cells: list[Cell] = []
    place = 0
    for text, style in _styled(line, base):
        *before, last = _ERASE.split(text)
        for written, erase in zip(before[::2], before[1::2], strict=True):
            place = _write(cells, place, written, style)
            _erase(cells, place, erase, base)
        place = _write(cells, place, last, style)
    return _joined(cells)


def _write(cells: list[Cell], place: int, text: str, style: Style) -> int:
    for character in text:
        if character == "\r":
            place = 0
        elif character == "\b":
            place = max(0, place - 1)
        else:
            cells[place : place + 1] = [Cell(visible_text(character), style)]
            place += 1
    return place


def _erase(cells: list[Cell], place: int, how: str, base: Style) -> None:
    """Erase to the end of the line, from its start (`1`), or all of it (`2`), as EL does."""
    if how in {"1", "2"}:
        cells[:place] = [Cell(" ", base)] * place
    if how != "1":
        del cells[place:]


def _joined(cells: list[Cell]) -> list[Segment]:
    result: list[Segment] = []
    for cell in cells:
        if result and result[-1].style == cell.style:
            result[-1] = Segment(result[-1].text + cell.text, cell.style)
        else:
            result.append(Segment(cell.text, cell.style))
    return result


@lru_cache(512)
def _changed(codes: str, style: Style, base: Style) -> Style:
    numbers = [int(code) if code else 0 for code in codes.split(";")]
    while numbers:
        number = numbers.pop(0)
        if number == 0:
            style = base
        elif number in (38, 48):
            style += _extended(numbers, background=number == 48)
        else:
            style += _simple(number, base)
    return style


def _simple(number: int, base: Style) -> Style:
    if number in _ON:
        return Style.parse(_ON[number])
    if number in _OFF:
        return Style.parse(_OFF[number])
    if number == 39:
        return Style(color=base.color)
    if number == 49:
        return Style(bgcolor=base.bgcolor)
    tens, last = divmod(number, 10)
    if last < 8 and tens in (3, 4, 9, 10):
        name = ("bright_" if tens in (9, 10) else "") + _COLOURS[last]
        return Style(bgcolor=name) if tens in (4, 10) else Style(color=name)
    return Style.null()


def _extended(numbers: list[int], *, background: bool) -> Style:
    colour = None
    if len(numbers) >= 2 and numbers[0] == 5:
        colour = f"color({min(255, numbers[1])})"
        del numbers[:2]
    elif len(numbers) >= 4 and numbers[0] == 2:
        red, green, blue = (min(255, number) for number in numbers[1:4])
        colour = f"#{red:02x}{green:02x}{blue:02x}"
        del numbers[:4]
    else:
        numbers.clear()
    if colour is None:
        return Style.null()
    return Style(bgcolor=colour) if background else Style(color=colour)


def collapse(line: str) -> str:
    """Return a line without the parts that a later carriage return overwrites."""
    return line[line.rfind("\r", 0, -1) :] if "\r" in line[:-1] else line


def cells(line: str) -> int:
    """Return the width of a line in cells."""
    return sum(cell_len(segment.text) for segment in segments(line, Style.null()))


def folded(segments: list[Segment], width: int) -> list[list[Segment]]:
    """Return a line wrapped to rows of at most `width` cells; no character is lost."""
    rows: list[list[Segment]] = [[]]
    left = width
    for text, style, _ in segments:
        start = 0
        for index, character in enumerate(text):
            cells = cell_len(character)
            if cells > left:
                rows[-1].append(Segment(text[start:index], style))
                rows.append([])
                start, left = index, width
            left -= cells
        rows[-1].append(Segment(text[start:], style))
    return rows


def plain(line: str) -> str:
    """Return the displayed text of a line, without colours."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(segment.text for segment in segments(line, Style.null()))
