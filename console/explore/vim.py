"""The keys of vim for an editor: the effect of a key on lines of text. Pure.

Normal and insert mode, counts, `h j k l w b e 0 ^ $ gg G`, `x dd yy p P u`, `i a I A o O`; nothing
else. Source: the reference manual of Vim, motion.txt, change.txt and insert.txt.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

Position = tuple[int, int]
"""Row and column, both from 0."""

_WORD = re.compile(r"\w+|[^\w\s]+")
_MOTIONS = frozenset("hjklwbe0^$G")
_INSERTS = frozenset("iaIAoO")
_PAIRS = {"g": "gg", "d": "dd", "y": "yy"}
MAX_COUNT = 9999
FAR = 1 << 30
"""The end of any line."""


@dataclass(frozen=True)
class VimCommand:
    """The effect of a key: a replacement of the text between two positions, a new cursor, edits to undo."""

    cursor: Position | None = None
    edit: tuple[str, Position, Position] | None = None
    undo: int = 0


@dataclass
class Vim:
    """The state of vim between two keys."""

    inserting: bool = False
    count: str = ""
    pending: str = ""
    """The first key of a pair such as `dd`."""
    cut: str = ""
    """The register: text deleted or copied last; whole lines end in a line feed."""
    column: int = 0
    """The column that `j` and `k` try to keep."""
    last_cursor: Position = (0, 0)
    """The cursor after the last key; from elsewhere, `j` and `k` take a new column."""

    @property
    def idle(self) -> bool:
        """Whether no command is pending, so that Esc is free for the screen."""
        return not (self.inserting or self.count or self.pending)

    def leave(self, at: Position) -> VimCommand:
        """Go back to normal mode, and drop a pending command."""
        back = self.inserting and at[1] > 0
        self.inserting, self.count, self.pending = False, "", ""
        return VimCommand((at[0], at[1] - back))

    def press(self, key: str, lines: Sequence[str], at: Position, *, locked: bool = False) -> VimCommand:
        """Return the effect of a key in normal mode with the cursor `at`; locked text is not changed."""
        if key in "0123456789" and (key != "0" or self.count):
            self.count = (self.count + key)[:4]
            return VimCommand()
        if not self.pending and key in _PAIRS:
            self.pending = key
            return VimCommand()
        word, times = self.pending + key, min(int(self.count or 1), MAX_COUNT)
        line = times if self.count else None
        self.pending = self.count = ""
        if word in _MOTIONS or word == "gg":
            return self._moved(word, lines, at, times, line)
        if word == "yy":
            return self._copied(lines, at[0], times)
        return VimCommand() if locked else self._changed(word, lines, at, times)

    # --- moving -----------------------------------------------------------------------------------

    def _moved(
        self, key: str, lines: Sequence[str], at: Position, times: int, line: int | None
    ) -> VimCommand:
        row, column = at
        if key in "jk":
            self.column = self.column if at == self.last_cursor else column
            row = max(0, min(len(lines) - 1, row + (times if key == "j" else -times)))
            self.last_cursor = _clamped(lines, (row, self.column))
            return VimCommand(self.last_cursor)
        if key in {"gg", "G"}:
            row = max(0, min(len(lines), line or (1 if key == "gg" else len(lines))) - 1)
            to = (row, _indent(lines[row]))
        elif key in "wbe":
            to = at
            for _ in range(times):
                to = _word(key, lines, to)
        else:
            to = (row, {"h": column - times, "l": column + times, "0": 0, "^": _indent(lines[row]),
                        "$": len(lines[row])}[key])  # fmt: skip
        self.last_cursor = _clamped(lines, to)
        self.column = FAR if key == "$" else self.last_cursor[1]
        return VimCommand(self.last_cursor)

    # --- changing ---------------------------------------------------------------------------------

    def _copied(self, lines: Sequence[str], row: int, times: int) -> VimCommand:
        self.cut = "".join(f"{line}\n" for line in lines[row : row + times])
        return VimCommand()

    def _changed(self, key: str, lines: Sequence[str], at: Position, times: int) -> VimCommand:
        row, column = at
        if key == "u":
            return VimCommand(undo=times)
        if key in _INSERTS:
            return self._inserted(key, lines[row], at)
        if key == "x":
            end = min(len(lines[row]), column + times)
            self.cut = lines[row][column:end] or self.cut
            return VimCommand((row, max(0, min(column, len(lines[row]) - (end - column) - 1))),
                        ("", at, (row, end)))  # fmt: skip
        if key == "dd":
            return self._cut_lines(lines, row, times)
        return (
            self._put(lines, at, times, before=key == "P") if key in {"p", "P"} and self.cut else VimCommand()
        )

    def _inserted(self, key: str, line: str, at: Position) -> VimCommand:
        self.inserting = True
        row, indent = at[0], line[: _indent(line)]
        if key == "o":
            return VimCommand((row + 1, len(indent)), ("\n" + indent, (row, len(line)), (row, len(line))))
        if key == "O":
            return VimCommand((row, len(indent)), (indent + "\n", (row, 0), (row, 0)))
        column = {"i": at[1], "a": min(at[1] + 1, len(line)), "I": len(indent), "A": len(line)}[key]
        return VimCommand((row, column))

    def _cut_lines(self, lines: Sequence[str], row: int, times: int) -> VimCommand:
        self._copied(lines, row, times)
        after = min(len(lines), row + times)
        left = [*lines[:row], *lines[after:]] or [""]
        to = min(row, len(left) - 1)
        start, end = (row, 0), (after, 0)
        if after == len(lines):
            start = (row - 1, len(lines[row - 1])) if row else (0, 0)
            end = (after - 1, len(lines[after - 1]))
        return VimCommand((to, _indent(left[to])), ("", start, end))

    def _put(self, lines: Sequence[str], at: Position, times: int, *, before: bool) -> VimCommand:
        row, column = at
        text = self.cut * times
        if not self.cut.endswith("\n"):
            column = column if before else min(column + 1, len(lines[row]))
            return VimCommand((row, column + len(text) - 1), (text, (row, column), (row, column)))
        indent = _indent(self.cut.partition("\n")[0])
        if before:
            return VimCommand((row, indent), (text, (row, 0), (row, 0)))
        end = (row, len(lines[row]))
        return VimCommand((row + 1, indent), ("\n" + text.removesuffix("\n"), end, end))


def _clamped(lines: Sequence[str], at: Position) -> Position:
    """Return the nearest position in the row that holds a character."""
    return at[0], max(0, min(at[1], len(lines[at[0]]) - 1))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _word(key: str, lines: Sequence[str], at: Position) -> Position:
    """Return where the next word begins (`w`) or ends (`e`), or the one before begins (`b`).

    An empty line counts as a word that begins.
    """
    back = key == "b"
    rows = range(at[0], -1, -1) if back else range(at[0], len(lines))
    for row in rows:
        found = [each.end() - 1 if key == "e" else each.start() for each in _WORD.finditer(lines[row])]
        if not lines[row] and key != "e":
            found = [0]
        if row == at[0]:
            found = [each for each in found if (each < at[1] if back else each > at[1])]
        if found:
            return row, found[-1 if back else 0]
    return (0, 0) if back else (len(lines) - 1, len(lines[-1]))
