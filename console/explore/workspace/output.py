"""What a call in a session wrote, as bytes."""

from __future__ import annotations

from console.safety.text import visible_text
from engine.models import OutputChunk, Stream

MOST_BYTES = 32 << 20
LONGEST_REASON = 200


class RunBytes:
    """Collects both streams of a run; what is beyond `MOST_BYTES` is dropped."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin anew."""
        self._streams = {stream: bytearray() for stream in Stream}

    def add(self, chunk: OutputChunk) -> None:
        """Take a chunk."""
        known = self._streams[chunk.stream]
        known += chunk.data[: MOST_BYTES - len(known)]

    def of(self, stream: Stream) -> bytes:
        """Return what was written to a stream."""
        return bytes(self._streams[stream])

    @property
    def reason(self) -> str:
        """What was written to stderr, in one line."""
        words = self.of(Stream.STDERR).decode("utf-8", "replace").strip()
        return visible_text(words[:LONGEST_REASON])
