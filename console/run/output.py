"""The output of a run as a bounded list of lines: the newest are kept, dropped ones are counted."""

from __future__ import annotations

import codecs
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import repeat

from console.run.terminal import MAX_LINE, collapse
from engine.models import OutputChunk, Stream

KEPT_LINES = 50_000
KEPT_CHARACTERS = 16_000_000
Line = tuple[Stream, str]


def after(chunk: OutputChunk, offset: int) -> OutputChunk | None:
    """Return the part of a chunk from byte `offset` of all output on, or None."""
    known = offset - chunk.offset
    if known <= 0:
        return chunk
    if known >= len(chunk.data):
        return None
    return OutputChunk(stream=chunk.stream, offset=offset, at=chunk.at, data=chunk.data[known:])


class OutputLines:
    """The lines of one run, numbered from 0 in the order in which they ended."""

    def __init__(self) -> None:
        self.dropped = 0
        """How many lines are no longer kept, which is the number of the oldest kept line."""
        self.clipped = 0
        """Characters of long lines that were not kept."""
        # Two deques of plain objects: a tuple per line would keep the garbage collector busy in a flood.
        self._texts: deque[str] = deque()
        self._streams: deque[Stream] = deque()
        self._characters = 0
        self._partial: dict[Stream, str] = {}
        self._decoders = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in Stream}

    @property
    def count(self) -> int:
        """How many lines are kept, including unfinished ones."""
        return len(self._texts) + len(self._partial)

    @property
    def end(self) -> int:
        """The number of the next line."""
        return self.dropped + self.count

    @property
    def finished(self) -> int:
        """The number of the first line that may still change."""
        return self.dropped + len(self._texts)

    def take(self, chunks: Iterable[OutputChunk]) -> None:
        """Add output."""
        for chunk in chunks:
            self._split(chunk.stream, self._decoders[chunk.stream].decode(chunk.data))
        self._forget()

    def at(self, number: int) -> Line:
        """Return the line with this number."""
        index = number - self.dropped
        if index < len(self._texts):
            return self._streams[index], self._texts[index]
        return list(self._partial.items())[index - len(self._texts)]

    def __iter__(self) -> Iterator[Line]:
        yield from zip(self._streams, self._texts, strict=True)
        yield from self._partial.items()

    def _split(self, stream: Stream, text: str) -> None:
        *finished, rest = (self._partial.pop(stream, "") + text).split("\n")
        if "\r" not in text and len(max(finished, key=len, default="")) <= MAX_LINE:
            self._keep(stream, finished)
        else:
            self._keep(stream, [self._short(collapse(line)) for line in finished])
        if rest:
            self._partial[stream] = self._short(collapse(rest) if len(rest) > MAX_LINE else rest)

    def _keep(self, stream: Stream, lines: list[str]) -> None:
        self._texts.extend(lines)
        self._streams.extend(repeat(stream, len(lines)))
        self._characters += sum(map(len, lines))

    def _short(self, line: str) -> str:
        if len(line) <= MAX_LINE:
            return line
        self.clipped += len(line) - MAX_LINE
        return line[:MAX_LINE]

    def _forget(self) -> None:
        self._drop(max(0, len(self._texts) - KEPT_LINES))
        while self._characters > KEPT_CHARACTERS:
            self._drop(1)

    def _drop(self, count: int) -> None:
        self._characters -= sum(len(self._texts.popleft()) for _ in range(count))
        for _ in range(count):
            self._streams.popleft()
        self.dropped += count
