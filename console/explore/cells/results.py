"""What running a cell gave, and which cell it belongs to after the script was edited. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from console.explore.cells.script import Cell
from engine.common.text import Untrusted

NO_TEXT = Untrusted("")
PICTURE = "image/png"
TABLE = "table"


@dataclass(frozen=True)
class Shown:
    """A rich result: text of the guest that is never markup, or the bytes of a picture."""

    mime: str
    text: Untrusted = NO_TEXT
    data: bytes = b""
    final: bool = False
    """Whether it is the value of the cell."""


@dataclass(frozen=True)
class CellResult:
    """What one run of a cell gave."""

    source: str
    """The code that ran."""
    stdout: Untrusted = NO_TEXT
    stderr: Untrusted = NO_TEXT
    shown: tuple[Shown, ...] = ()
    status: str = ""
    """How it ended, in words."""
    succeeded: bool = True
    seconds: float | None = None
    memory: int = 0
    """Bytes that the session had at most meanwhile."""
    run: str = ""
    """The id of its submission; empty for what was read from a file."""
    number: int = 0
    """Which execution of the session it was, counted from 1; 0 where that is not known."""
    stale: bool = False
    """Whether the cell was edited since."""
    running: bool = False
    """Whether it may write more."""

    @property
    def wrote(self) -> bool:
        """Whether it wrote anything."""
        return bool(self.stdout or self.stderr)


def begins_to_write(before: CellResult | None, after: CellResult | None) -> bool:
    """Return whether the second result has the first output of its cell."""
    return after is not None and after.wrote and not (before is not None and before.wrote)


def aligned(results: Mapping[int, CellResult], cells: Sequence[Cell]) -> dict[int, CellResult]:
    """Return the results by the index of their cell: the one with their code, else the one in their place."""
    by_source: dict[str, list[int]] = defaultdict(list)
    for index, cell in enumerate(cells):
        by_source[cell.source].append(index)
    found, homeless = dict[int, CellResult](), list[tuple[int, CellResult]]()
    for index, result in sorted(results.items()):
        same = by_source[result.source]
        if same:
            found[same.pop(0)] = replace(result, stale=False)
        else:
            homeless.append((index, result))
    for index, result in homeless:
        if index < len(cells) and index not in found:
            found[index] = replace(result, stale=True)
    return found
