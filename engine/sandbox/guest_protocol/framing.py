"""The bytes between the engine and a guest. Everything that comes out of a guest is hostile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from engine.models import InputFile, Limits, Stream
from engine.sandbox.api.file_names import safe_name

_STREAMS = {1: Stream.STDOUT, 2: Stream.STDERR}
_PIECE = 64 * 1024
_INSERT = re.compile(rb"\+(\d{1,4}) ([01])\n")
_MOST_HEAD = 8
MAX_DISPLAY_BYTES = 16 * 1024 * 1024
"""The size of one display."""


class FrameError(Exception):
    """The guest sent bytes that no supervisor sends."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a waiting sandbox is to run."""

    code: bytes
    files: tuple[InputFile, ...]
    limits: Limits
    task_limit: int
    artifact_bytes: int
    guard_seconds: int
    """When the supervisor ends the run by itself: later than the engine would."""
    nonce: str

    operation: str = ""
    """What the sandbox of a session is to do; unless it is `run`, `code` is a path."""

    def encode(self) -> bytes:
        """Return the bytes for the supervisor. Raises ValueError where a file's name leaves the workspace."""
        operation = f"{self.operation} " if self.operation else ""
        head = (
            f"{operation}{self.guard_seconds} {len(self.files)} {self.artifact_bytes} {self.task_limit} "
            f"{len(self.code)} {self.nonce}\n"
        )
        return b"".join([head.encode(), *map(_frame, self.files), self.code])


def _frame(file: InputFile) -> bytes:
    name = str(safe_name(file.name)).encode()
    return b"%d %d\n%b%b" % (len(name), len(file.content), name, file.content)


async def frames(reader: asyncio.StreamReader) -> AsyncGenerator[tuple[Stream, bytes], None]:
    """Yield the frames of a multiplexed stream until it ends. A truncated frame ends it, too."""
    while True:
        try:
            head = await reader.readexactly(8)
            left = int.from_bytes(head[4:])
            while left:
                piece = await reader.read(min(left, _PIECE))
                if not piece:
                    return
                left -= len(piece)
                yield _STREAMS.get(head[0], Stream.STDOUT), piece
        except (asyncio.IncompleteReadError, ConnectionError):
            return


class StreamSplitter:
    """Splits one stream into the program's output, its displays, and the exit report after the mark.

    The mark followed by a plus introduces a piece of a display; after it the program's output continues.
    """

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._held = b""
        self._piece = bytearray()
        self._displays: list[bytes] = []
        self.ended = False

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the program's bytes and the supervisor's. Bytes that may begin the mark are held back.

        Raises FrameError.
        """
        if self.ended:
            return b"", data
        own, left = b"", self._held + data
        while (at := left.find(self._mark)) >= 0:
            own, behind = own + left[:at], left[at + len(self._mark) :]
            if behind and not behind.startswith(b"+"):
                self._held, self.ended = b"", True
                return own, behind
            taken = self._insert(behind)
            if not taken:
                self._held = left[at:]
                return own, b""
            left = behind[taken:]
        keep = self._overlap(left)
        self._held = left[len(left) - keep :]
        return own + left[: len(left) - keep], b""

    def displays(self) -> list[bytes]:
        """Return the displays that became complete since the last call."""
        complete, self._displays = self._displays, []
        return complete

    def _insert(self, data: bytes) -> int:
        """Take a piece of a display; return how many bytes it was, 0 if it is not complete yet."""
        head = _INSERT.match(data)
        if head is None:
            if b"\n" in data or len(data) > _MOST_HEAD:
                raise FrameError("neither the end of output nor a display")
            return 0
        end = head.end() + int(head[1])
        if len(data) < end:
            return 0
        self._piece += data[head.end() : end]
        if len(self._piece) > MAX_DISPLAY_BYTES:
            raise FrameError("a display that is too large")
        if head[2] == b"0":
            self._displays.append(bytes(self._piece))
            self._piece.clear()
        return end

    def rest(self) -> bytes:
        """Return what was held back when the stream ended without the mark."""
        held, self._held = self._held, b""
        return b"" if held.startswith(self._mark) else held

    def _overlap(self, data: bytes) -> int:
        at = data.rfind(self._mark[:1], max(0, len(data) - len(self._mark) + 1))
        while at >= 0:
            if self._mark.startswith(data[at:]):
                return len(data) - at
            at = data.rfind(self._mark[:1], max(0, len(data) - len(self._mark) + 1), at)
        return 0
