"""Lines and columns of text in characters, with the line ends of Python's tokenizer."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate

from engine.models import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


class Lines:
    """The lines of one source. Only `\\n`, `\\r\\n` and `\\r` end a line: form feeds and U+2028 do not."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.ascii = text.isascii()

    @cached_property
    def _starts(self) -> list[int]:
        if "\r" in self._text:
            return [0, *(match.end() for match in _LINE_END.finditer(self._text))]
        sizes = map(len, self._text.split("\n")[:-1])
        return [0, *accumulate(map((1).__add__, sizes))]

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, number: int) -> str:
        """Return line `number`, counted from 1, with its line end."""
        end = self._starts[number] if number < len(self._starts) else len(self._text)
        return self._text[self._starts[number - 1] : end]

    def offset(self, line: int, column: int) -> int:
        """Return the index of the character at `line` and `column`, both counted from 1."""
        return self._starts[min(line, len(self._starts)) - 1] + column - 1

    def point(self, offset: int) -> tuple[int, int]:
        """Return the line and column of the character at `offset`."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from `start` up to `end`."""
        line, column = self.point(start)
        end_line, end_column = self.point(max(start, end))
        return Span(line=line, column=column, end_line=end_line, end_column=end_column)

    def column(self, line: int, byte_offset: int) -> int:
        """Return the column, from 1, of a place in UTF-8 bytes of its line, a byte order mark not counted."""
        if self.ascii:
            return byte_offset + 1
        text = self.line(line)
        mark = line == 1 and text.startswith("\ufeff")
        head = text[mark:].encode("utf-8", "replace")[:byte_offset]
        return len(head.decode("utf-8", "replace")) + 1 + mark

    def span_of_bytes(self, line: int, start: int, end_line: int, end: int) -> Span:
        """Return the span of a stretch whose columns are UTF-8 byte offsets counted from 0."""
        return Span(
            line=line,
            column=self.column(line, start),
            end_line=end_line,
            end_column=self.column(end_line, end),
        )
