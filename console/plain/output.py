"""The output of a run as plain lines, for `--plain`."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from console.run.terminal import MAX_LINE, collapse, plain
from engine.models import OutputChunk, Stream


class OutputPrinter:
    """Prints each line once it is complete, without colours; of an overwritten line only the last state."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._partial = dict.fromkeys(Stream, "")
        self._decoders = {each: codecs.getincrementaldecoder("utf-8")("replace") for each in Stream}

    def take(self, chunk: OutputChunk) -> None:
        """Add output."""
        stream = chunk.stream
        *complete, rest = (self._partial[stream] + self._decoders[stream].decode(chunk.data)).split("\n")
        for line in complete:
            self._print(stream, line)
        while len(rest := collapse(rest)) > MAX_LINE:
            self._print(stream, rest[:MAX_LINE])
            rest = rest[MAX_LINE:]
        self._partial[stream] = rest

    def end(self) -> None:
        """Print the last line even without a line feed."""
        for stream, rest in self._partial.items():
            if rest := rest + self._decoders[stream].decode(b"", final=True):
                self._print(stream, rest)

    def _print(self, stream: Stream, line: str) -> None:
        self._say(f"{stream.value}: {plain(line)}")
