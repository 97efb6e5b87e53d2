"""Follows what one guest writes: bounded, byte for byte, and never faster than the watcher takes it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable

from engine.models import OutputChunk, Stream
from engine.sandbox.api.job import Watcher
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, StreamSplitter

ARTIFACT_BYTES = 32 * 1024 * 1024
"""How much a run may leave in files."""
_PATIENCE = 2
"""A program that writes this many times its limit is ended."""


class OutputFollower:
    """The output of one run, and the supervisor's last word behind it."""

    def __init__(
        self,
        watcher: Watcher,
        limit: int,
        nonce: str,
        ended: Callable[[], None],
        flooded: Callable[[], None],
        *,
        shown: Callable[[bytes], Awaitable[None]],
        deaf: bool = False,
    ) -> None:
        self.began = time.monotonic()
        self.ended: float | None = None
        self.first_byte: float | None = None
        self.written = 0
        """Bytes that the program wrote."""
        self.kept = dict.fromkeys(Stream, 0)
        """Bytes that the watcher was given."""
        self.truncated = False
        self.word = ExitReport(ARTIFACT_BYTES)
        self.notes: list[str] = []
        self._tell_shown = shown
        self._deaf = deaf
        self._watcher = watcher
        self._limit = limit
        self._tell_ended = ended
        self._tell_flooded = flooded
        mark = b"\0" + nonce.encode()
        self._tails = {stream: StreamSplitter(mark) for stream in Stream}

    def elapsed(self) -> float:
        """Return the seconds since the code went in."""
        return time.monotonic() - self.began

    async def follow(self, guest: AsyncIterator[tuple[Stream, bytes]]) -> None:
        """Read until the last word is complete, or the stream ends."""
        try:
            await self._until_last_word(guest)
        except FrameError as error:
            self.notes.append(f"the end of the stream could not be read: {error}")
        for stream, tail in self._tails.items():
            if (rest := tail.rest()) and not self._deaf:
                await self.deliver(stream, rest)
        self._note_end()

    async def _until_last_word(self, guest: AsyncIterator[tuple[Stream, bytes]]) -> None:
        async for stream, data in guest:
            own, after = self._tails[stream].feed(data)
            if own and not self._deaf:
                await self.deliver(stream, own)
            for item in self._tails[stream].shown():
                await self._tell_shown(item)
            if stream is Stream.STDOUT and after:
                self._note_end()
                self.word.feed(after)
            if self.word.complete and self._tails[Stream.STDERR].ended:
                return

    def _note_end(self) -> None:
        if self.ended is None:
            self.ended = time.monotonic()
            self._tell_ended()

    async def deliver(self, stream: Stream, data: bytes) -> None:
        """Give the watcher bytes that a stream carries, as many as the limit leaves."""
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
            await self._watcher.happened("run.output_truncated", {"limit_bytes": self._limit})
        if self.written > self._limit * _PATIENCE:
            self._tell_flooded()
