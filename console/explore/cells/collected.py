"""Collects what a run writes, within bounds."""

from __future__ import annotations

import codecs

from engine.common.text import Untrusted
from engine.models import OutputChunk, Stream

MOST_CHARACTERS = 1 << 20
"""Characters of each stream that are kept."""
CUT = "\n… the output goes on; the run has all of it\n"


class CollectedOutput:
    """The texts of both streams of one run."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self._texts = dict.fromkeys(Stream, "")
        self._decoders = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in Stream}

    def add(self, chunk: OutputChunk) -> None:
        """Take a chunk."""
        known = self._texts[chunk.stream]
        if len(known) > MOST_CHARACTERS:
            return
        text = known + self._decoders[chunk.stream].decode(chunk.data)
        self._texts[chunk.stream] = text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS] + CUT

    def text(self, stream: Stream) -> Untrusted:
        """Return what was written to a stream so far."""
        return Untrusted(self._texts[stream])
