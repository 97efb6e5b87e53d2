"""The bytes between the engine and a guest. Everything that comes out of a guest is hostile."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from engine.models import InputFile, Limits, Stream
from engine.text import Untrusted

_STREAMS = {1: Stream.STDOUT, 2: Stream.STDERR}
_PIECE = 64 * 1024
_WORD = re.compile(rb"(\d{1,3}) (\d{1,3}) ([01]) ([01]) ([01])$")
_FILE = re.compile(rb"file (\d{1,5}) (\d{1,15})$")
_LEFT = re.compile(rb"left (\d{1,9})$")


class BadFrame(Exception):
    """The guest sent what no supervisor sends."""


def safe_name(name: Untrusted) -> PurePosixPath:
    """Return a path that stays below `/workspace`. Raises ValueError."""
    parts = name.text.split("/")
    bad = any(part in ("", ".", "..") or len(part.encode()) > 255 for part in parts)
    if bad or len(parts) > 16 or "\0" in name.text:
        raise ValueError("a file name must be relative, without `.` and `..`, and at most 16 folders deep")
    return PurePosixPath(*parts)


@dataclass(frozen=True, slots=True)
class Order:
    """What a waiting sandbox is told."""

    code: bytes
    files: tuple[InputFile, ...]
    limits: Limits
    task_limit: int
    artifact_bytes: int
    guard_seconds: int
    """When the guest ends the run by itself: later than the engine would."""
    nonce: str

    def encode(self) -> bytes:
        """Return the bytes for the supervisor. Raises ValueError where a file's name leaves the workspace."""
        head = (
            f"{self.guard_seconds} {len(self.files)} {self.artifact_bytes} {self.task_limit} "
            f"{len(self.code)} {self.nonce}\n"
        )
        return b"".join([head.encode(), *map(_frame, self.files), self.code])


def _frame(file: InputFile) -> bytes:
    name = str(safe_name(file.name)).encode()
    return b"%d %d\n%b%b" % (len(name), len(file.content), name, file.content)


async def frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[Stream, bytes]]:
    """Take Docker's multiplexed stream apart until it ends. A frame that breaks off is an end, too."""
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


class Tail:
    """Parts one stream into what the program wrote and what follows the supervisor's mark."""

    def __init__(self, mark: bytes) -> None:
        self._mark = mark
        self._held = b""
        self.ended = False

    def feed(self, data: bytes) -> tuple[bytes, bytes]:
        """Return the program's bytes and the supervisor's. Bytes that may begin the mark are held back."""
        if self.ended:
            return b"", data
        data = self._held + data
        at = data.find(self._mark)
        if at >= 0:
            self._held, self.ended = b"", True
            return data[:at], data[at + len(self._mark) :]
        keep = self._overlap(data)
        self._held = data[len(data) - keep :]
        return data[: len(data) - keep], b""

    def rest(self) -> bytes:
        """Return what was held back when the stream ended without the mark."""
        held, self._held = self._held, b""
        return held

    def _overlap(self, data: bytes) -> int:
        at = data.rfind(self._mark[:1], max(0, len(data) - len(self._mark) + 1))
        while at >= 0:
            if self._mark.startswith(data[at:]):
                return len(data) - at
            at = data.rfind(self._mark[:1], max(0, len(data) - len(self._mark) + 1), at)
        return 0


@dataclass(slots=True)
class LastWord:
    """What the supervisor says after the program has ended: how, and the files."""

    room: int
    """How many bytes of files may come."""
    exit_code: int = 0
    signal: int = 0
    late: bool = False
    crowded: bool = False
    packed: bool = False
    heard: bool = False
    complete: bool = False
    left_out: int = 0
    files: list[tuple[str, bytes]] = field(default_factory=list)
    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """Take bytes that follow the mark. Raises BadFrame."""
        self._buffer += data
        while not self.complete and self._step():
            pass

    def _step(self) -> bool:
        line, newline, _ = bytes(self._buffer[:4096]).partition(b"\n")
        if not newline:
            if len(line) >= 4096:
                raise BadFrame("a line without end")
            return False
        if not self.heard:
            return self._how(line)
        if left := _LEFT.match(line):
            self.left_out, self.complete = int(left[1]), True
            return False
        return self._file(line)

    def _how(self, line: bytes) -> bool:
        found = _WORD.match(line.strip())
        if not found:
            raise BadFrame("not a last word")
        self.exit_code, self.signal = int(found[1]), int(found[2])
        self.late, self.crowded, self.packed = (found[index] == b"1" for index in (3, 4, 5))
        self.heard = True
        del self._buffer[: len(line) + 1]
        return True

    def _file(self, line: bytes) -> bool:
        found = _FILE.match(line)
        if not found:
            raise BadFrame("neither a file nor the end of files")
        name_bytes, size = int(found[1]), int(found[2])
        if name_bytes > 4096 or size > self.room or len(self.files) >= 4096:
            raise BadFrame("more than was asked for")
        start = len(line) + 1
        if len(self._buffer) < start + name_bytes + size:
            return False
        name = bytes(self._buffer[start : start + name_bytes]).decode("utf-8", "replace")
        content = bytes(self._buffer[start + name_bytes : start + name_bytes + size])
        del self._buffer[: start + name_bytes + size]
        self.room -= size
        self.files.append((name, content))
        return True
