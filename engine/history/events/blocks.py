"""What the events `run.output` and `run.meters` carry: where a run's output lies, and what it used."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from pydantic import ConfigDict, Field

from engine.models import Digest, FrozenModel, Meters, OutputChunk, Stream

CHUNKS = 512
"""More chunks than that in one block are joined where they are neighbours of one stream."""


class OutputBlock(FrozenModel):
    """A part of a run's output: the digest of its bytes, and how they came."""

    model_config = ConfigDict(extra="ignore")

    digest: Digest
    size: int
    chunks: tuple[tuple[Stream, float, int, int], ...] = Field(min_length=1)
    """Stream, seconds, offset in all output, length."""

    @classmethod
    def of(cls, chunks: Sequence[OutputChunk], digest: str) -> OutputBlock:
        """Return the block of these chunks, whose bytes together have this digest."""
        places = tuple((c.stream, c.at, c.offset, len(c.data)) for c in _joined(chunks))
        return cls(digest=digest, size=sum(place[3] for place in places), chunks=places)

    @property
    def start(self) -> int:
        """Where it begins in all output of the run."""
        return self.chunks[0][2]

    def split(self, content: bytes) -> list[OutputChunk]:
        """Return the chunks again, cut from the bytes of this block; none where those were erased."""
        found, position = [], 0
        for stream, at, offset, length in self.chunks:
            data = content[position : position + length]
            found.append(OutputChunk(stream=stream, at=at, offset=offset, data=data))
            position += length
        return found


class MeterBlock(FrozenModel):
    """Samples of what a run used."""

    model_config = ConfigDict(extra="ignore")

    samples: tuple[Meters, ...]


def _joined(chunks: Sequence[OutputChunk]) -> Sequence[OutputChunk]:
    if len(chunks) <= CHUNKS:
        return chunks
    part = len(chunks) / CHUNKS
    groups = itertools.groupby(enumerate(chunks), key=lambda pair: (int(pair[0] / part), pair[1].stream))
    return [_join([chunk for _, chunk in group]) for _, group in groups]


def _join(chunks: list[OutputChunk]) -> OutputChunk:
    return chunks[0].with_data(b"".join(chunk.data for chunk in chunks))
