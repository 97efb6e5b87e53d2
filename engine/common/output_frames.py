"""Output as frames: for each chunk a line of JSON that says how many bytes follow, and then these bytes.

What NDJSON would carry as base64 travels as it is; a reader finds the next chunk without looking at any byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pydantic import Field

from engine.common.errors import Problem
from engine.models import FrozenModel, OutputChunk, Stream

FRAMES = "application/vnd.pratique.output"
"""The media type; who does not ask for it gets NDJSON."""
MOST_HEAD = 512
MOST_DATA = 64 << 20
SHARED = 32
"""How many of the last chunks are kept encoded, for the other readers of the same run."""


class Head(FrozenModel):
    """The line before the bytes of a chunk."""

    stream: Stream
    at: float
    offset: int = Field(ge=0)
    size: int = Field(ge=0, le=MOST_DATA)


@lru_cache(SHARED)
def encode_frame(chunk: OutputChunk) -> bytes:
    """Return a chunk as a frame."""
    head = Head(stream=chunk.stream, at=chunk.at, offset=chunk.offset, size=len(chunk.data))
    return head.model_dump_json().encode() + b"\n" + chunk.data


@lru_cache(SHARED)
def encode_line(chunk: OutputChunk) -> bytes:
    """Return a chunk as a line of NDJSON."""
    return chunk.model_dump_json().encode() + b"\n"


class FrameDecoder:
    """Decodes a stream of frames, split anywhere, to chunks."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._head: Head | None = None

    def take(self, data: bytes) -> Iterator[OutputChunk]:
        """Yield the chunks that are complete with `data`.

        Raises:
            Problem: this is no stream of frames.
        """
        self._held += data
        while chunk := self._next():
            yield chunk

    @property
    def between(self) -> bool:
        """Whether the stream may end here: no frame is begun."""
        return not self._held and self._head is None

    def _next(self) -> OutputChunk | None:
        head = self._head = self._head or self._next_head()
        if head is None or len(self._held) < head.size:
            return None
        data = bytes(memoryview(self._held)[: head.size])
        del self._held[: head.size]
        self._head = None
        return OutputChunk.model_construct(stream=head.stream, at=head.at, offset=head.offset, data=data)

    def _next_head(self) -> Head | None:
        end = self._held.find(b"\n", 0, MOST_HEAD)
        if end < 0:
            if len(self._held) >= MOST_HEAD:
                raise Problem(502, "this is no stream of output")
            return None
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        try:
            return Head.model_validate_json(line)
        except ValueError:
            raise Problem(502, "this is no stream of output") from None
