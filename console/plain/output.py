"""Output of a run as whole lines of text, each said once: for `--plain`."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from console.run.terminal import MAX_LINE, collapse, plain
from engine.models import OutputChunk, Stream


class OutputPrinter:
    """Says each line once it is whole, without colours; of one that is written over, the last state."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._begun = dict.fromkeys(Stream, "")
        self._decoders = {each: codecs.getincrementaldecoder("utf-8")("replace") for each in Stream}

    def take(self, chunk: OutputChunk) -> None:
        """Take in what was written."""
        stream = chunk.stream
        *whole, rest = (self._begun[stream] + self._decoders[stream].decode(chunk.data)).split("\n")
        for line in whole:
            self._tell(stream, line)
        while len(rest := collapse(rest)) > MAX_LINE:
            self._tell(stream, rest[:MAX_LINE])
            rest = rest[MAX_LINE:]
        self._begun[stream] = rest

    def end(self) -> None:
        """Say what was begun and never ended with a line feed."""
        for stream, rest in self._begun.items():
            if rest := rest + self._decoders[stream].decode(b"", final=True):
                self._tell(stream, rest)

    def _tell(self, stream: Stream, line: str) -> None:
        self._say(f"{stream.value}: {plain(line)}")
