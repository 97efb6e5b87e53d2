"""Follows what a guest writes: bounded, byte for byte, and never faster than the watcher takes it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable

from engine.models import OutputChunk, Stream
from engine.sandbox.api.job import Watcher
from engine.sandbox.api.run_events import OutputTruncated
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, StreamSplitter

ARTIFACT_BYTES = 32 * 1024 * 1024
"""The size of all artifacts of a run together."""
_FLOOD_FACTOR = 2
"""A program that writes this many times its limit is killed."""


class OutputFollower:
    """The output of one run, and the supervisor's exit report after it."""

    def __init__(
        self,
        watcher: Watcher,
        limit: int,
        nonce: str,
        ended: Callable[[], None],
        flooded: Callable[[], None],
        *,
        displayed: Callable[[bytes], Awaitable[None]],
        discard: bool = False,
    ) -> None:
        self.began = time.monotonic()
        self.ended: float | None = None
        self.first_byte: float | None = None
        self.written = 0
        """Bytes that the program wrote."""
        self.kept = dict.fromkeys(Stream, 0)
        """Bytes that the watcher received."""
        self.truncated = False
        self.report = ExitReport(ARTIFACT_BYTES)
        self.notes: list[str] = []
        self._on_display = displayed
        self._discard = discard
        self._watcher = watcher
        self._limit = limit
        self._on_end = ended
        self._on_flood = flooded
        mark = b"\0" + nonce.encode()
        self._splitters = {stream: StreamSplitter(mark) for stream in Stream}

    def elapsed(self) -> float:
        """Return the seconds since the code went in."""
        return time.monotonic() - self.began

    async def follow(self, guest: AsyncIterator[tuple[Stream, bytes]]) -> None:
        """Read until the exit report is complete, or the stream ends."""
        try:
            await self._until_report(guest)
        except FrameError as error:
            self.notes.append(f"the end of the stream could not be read: {error}")
        for stream, splitter in self._splitters.items():
            if (rest := splitter.rest()) and not self._discard:
                await self.deliver(stream, rest)
        self._note_end()

    async def _until_report(self, guest: AsyncIterator[tuple[Stream, bytes]]) -> None:
        async for stream, data in guest:
            own, after = self._splitters[stream].feed(data)
            if own and not self._discard:
                await self.deliver(stream, own)
            for item in self._splitters[stream].displays():
                await self._on_display(item)
            if stream is Stream.STDOUT and after:
                self._note_end()
                self.report.feed(after)
            if self.report.complete and self._splitters[Stream.STDERR].ended:
                return

    def _note_end(self) -> None:
        if self.ended is None:
            self.ended = time.monotonic()
            self._on_end()

    async def deliver(self, stream: Stream, data: bytes) -> None:
        """Pass bytes of a stream to the watcher, up to the limit."""
        if self.first_byte is None:
            self.first_byte = self.elapsed()
        offset = self.written
        self.written += len(data)
        data = data[: max(0, self._limit - offset)]
        if data:
            self.kept[stream] += len(data)
            await self._watcher.output(
                OutputChunk(stream=stream, at=self.elapsed(), offset=offset, data=data)
            )
        if self.written > self._limit:
            await self._overflow()

    async def _overflow(self) -> None:
        if not self.truncated:
            self.truncated = True
            await self._watcher.event(OutputTruncated(limit_bytes=self._limit))
        if self.written > self._limit * _FLOOD_FACTOR:
            self._on_flood()
