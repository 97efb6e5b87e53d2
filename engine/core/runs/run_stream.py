"""The live output of a run, for any number of readers, each at its own offset."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Sequence

from engine.models import Meters, OutputChunk
from engine.models.lines import RunLines

RECENT_BYTES = 4 << 20
"""How much output of a run is kept in memory; older output is read back from the history."""
READ_BACK_SECONDS = 0.02
"""How long a reader waits for output that is on its way to the history."""
PAGE_BYTES = 128 << 10
"""How much of it a reader takes at once: a reader that does not read holds so much."""

ReadBack = Callable[[int], Awaitable[Sequence[OutputChunk]]]


class RunStream:
    """The output and meters of one run, in bounded memory: slow readers fall back to the history."""

    def __init__(self, read_back: ReadBack) -> None:
        self.lines: RunLines | None = None
        """Which lines ran so far, as the guest says."""
        self._read_back = read_back
        self._chunks: deque[OutputChunk] = deque()
        self._buffered = 0
        self._end = 0
        self._meters: deque[Meters] = deque(maxlen=600)
        self._ticks = 0
        self._closed = False
        self._changed = asyncio.Event()

    @property
    def end(self) -> int:
        """How many bytes of output there are."""
        return self._end

    def add_output(self, chunk: OutputChunk) -> None:
        """Pass a chunk to the readers."""
        self._chunks.append(chunk)
        self._buffered += len(chunk.data)
        self._end = chunk.offset + len(chunk.data)
        while self._buffered > RECENT_BYTES and len(self._chunks) > 1:
            self._buffered -= len(self._chunks.popleft().data)
        self._wake()

    def add_meters(self, sample: Meters) -> None:
        """Pass a sample to the readers."""
        self._meters.append(sample)
        self._ticks += 1
        self._wake()

    def close(self) -> None:
        """End every reader once it has read everything."""
        self._closed = True
        self._wake()

    async def output(self, offset: int = 0) -> AsyncGenerator[OutputChunk, None]:
        """Yield the output from byte `offset` on, until the run ends."""
        while True:
            changed, closed = self._changed, self._closed
            for chunk in await self._after(offset):
                offset = chunk.offset + len(chunk.data)
                yield chunk
            if offset < self._end:
                await asyncio.sleep(0 if self._has(offset) else READ_BACK_SECONDS)
            elif closed:
                return
            else:
                await changed.wait()

    async def meters(self) -> AsyncGenerator[Meters, None]:
        """Yield the samples from now on, until the run ends; a slow reader misses some."""
        seen = max(0, self._ticks - 1)
        while True:
            changed, closed = self._changed, self._closed
            fresh = min(self._ticks - seen, len(self._meters))
            seen = self._ticks
            for sample in list(self._meters)[len(self._meters) - fresh :]:
                yield sample
            if closed:
                return
            await changed.wait()

    def _has(self, offset: int) -> bool:
        return bool(self._chunks) and self._chunks[0].offset <= offset

    async def _after(self, offset: int) -> Sequence[OutputChunk]:
        if offset >= self._end:
            return ()
        if self._has(offset):
            return list(_page(self._chunks, offset))
        return await self._read_back(offset)

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


def _page(chunks: Iterable[OutputChunk], offset: int) -> Iterator[OutputChunk]:
    """Yield the first chunks that reach beyond `offset`, and no more than a page of them."""
    size = 0
    for chunk in chunks:
        if chunk.offset + len(chunk.data) > offset:
            size += len(chunk.data)
            yield chunk
            if size >= PAGE_BYTES:
                return
