"""What the supervisor of a sandbox reports once the program has ended. Every byte of it is hostile."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.sandbox.guest_protocol.framing import MAX_DISPLAY_BYTES, FrameError
from engine.sandbox.guest_protocol.line_rows import MAX_ROWS_BYTES

_MOST_FRAMES = 4096
_MOST_NAME = 4096
_MOST_FAULT = 1024
_EXIT = re.compile(rb"(\d{1,3}) (\d{1,3}) ([01]) ([01]) ([01])$")
_FILE = re.compile(rb"file (\d{1,5}) (\d{1,15})$")
_ITEM = re.compile(rb"item (\d{1,5}) (\d{1,15}) (\d{1,12}) ([fdo])$")
_SHOWN = re.compile(rb"shown (\d{1,9})$")
_FAULT = re.compile(rb"fault (\d{1,5})$")
_LINES = re.compile(rb"lines (\d{1,6})$")
_LEFT = re.compile(rb"left (\d{1,9})$")
_GONE = b"gone"


class ListingEntry(NamedTuple):
    """One entry of a listing."""

    name: str
    size: int
    modified: int
    """Seconds since 1970."""
    kind: str
    """`f` a file, `d` a folder, `o` something else."""


@dataclass(slots=True)
class ExitReport:
    """How the program ended, and its artifacts."""

    capacity: int
    """How many bytes of files may come."""
    exit_code: int = 0
    signal: int = 0
    deadline_passed: bool = False
    task_limit_hit: bool = False
    disk_full: bool = False
    received: bool = False
    complete: bool = False
    interpreter_exited: bool = False
    """Whether the interpreter of a session has exited."""
    omitted: int = 0
    files: list[tuple[str, bytes]] = field(default_factory=list)
    items: list[ListingEntry] = field(default_factory=list)
    displays: bytes = b""
    """What the code displayed, as JSON."""
    lines: bytes | None = None
    """Which lines ran, as rows; None where the supervisor said nothing of it."""
    error: str = ""
    """Why a tool call failed."""
    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> None:
        """Take bytes that follow the mark; what follows the end is dropped. Raises FrameError."""
        if self.complete:
            return
        self._buffer += data
        while self._step():
            pass

    def _step(self) -> bool:
        line, newline, _ = bytes(self._buffer[:4096]).partition(b"\n")
        if not newline:
            if len(line) >= 4096:
                raise FrameError("a line without end")
            return False
        if not self.received:
            return self._how(line)
        if left := _LEFT.match(line):
            self.omitted, self.complete = int(left[1]), True
            return False
        if line == _GONE:
            self.interpreter_exited = True
            del self._buffer[: len(line) + 1]
            return True
        return self._frame(line)

    def _how(self, line: bytes) -> bool:
        found = _EXIT.match(line.strip())
        if not found:
            raise FrameError("not an exit report")
        self.exit_code, self.signal = int(found[1]), int(found[2])
        self.deadline_passed, self.task_limit_hit, self.disk_full = (
            found[index] == b"1" for index in (3, 4, 5)
        )
        self.received = True
        del self._buffer[: len(line) + 1]
        return True

    def _frame(self, line: bytes) -> bool:
        for pattern, take in _FRAMES:
            if found := pattern.match(line):
                return take(self, [int(size) for size in found.groups() if size.isdigit()], line)
        raise FrameError("neither a file nor the end of files")

    def _file(self, sizes: list[int], line: bytes) -> bool:
        name_bytes, size = sizes
        if name_bytes > _MOST_NAME or size > self.capacity or len(self.files) >= _MOST_FRAMES:
            raise FrameError("more than was requested")
        payload = self._payload(line, name_bytes + size)
        if payload is None:
            return False
        self.capacity -= size
        self.files.append((payload[:name_bytes].decode("utf-8", "replace"), payload[name_bytes:]))
        return True

    def _item(self, sizes: list[int], line: bytes) -> bool:
        name_bytes, size, modified = sizes
        if name_bytes > _MOST_NAME or len(self.items) >= _MOST_FRAMES:
            raise FrameError("more than was requested")
        name = self._payload(line, name_bytes)
        if name is None:
            return False
        self.items.append(ListingEntry(name.decode("utf-8", "replace"), size, modified, chr(line[-1])))
        return True

    def _show(self, sizes: list[int], line: bytes) -> bool:
        if sizes[0] > MAX_DISPLAY_BYTES or self.displays:
            raise FrameError("more than was requested")
        payload = self._payload(line, sizes[0])
        self.displays = payload or b""
        return payload is not None

    def _mark(self, sizes: list[int], line: bytes) -> bool:
        if sizes[0] > MAX_ROWS_BYTES or self.lines is not None:
            raise FrameError("more than was requested")
        self.lines = self._payload(line, sizes[0])
        return self.lines is not None

    def _fail(self, sizes: list[int], line: bytes) -> bool:
        if sizes[0] > _MOST_FAULT:
            raise FrameError("more than was requested")
        error = self._payload(line, sizes[0])
        self.error = error.decode("utf-8", "replace") if error else ""
        return error is not None

    def _payload(self, line: bytes, size: int) -> bytes | None:
        """Take what follows a line out of the buffer, once all of it is there."""
        start = len(line) + 1
        if len(self._buffer) < start + size:
            return None
        payload = bytes(self._buffer[start : start + size])
        del self._buffer[: start + size]
        return payload


_Take = Callable[[ExitReport, list[int], bytes], bool]
_FRAMES: tuple[tuple[re.Pattern[bytes], _Take], ...] = (
    (_FILE, ExitReport._file),  # noqa: SLF001
    (_ITEM, ExitReport._item),  # noqa: SLF001
    (_LINES, ExitReport._mark),  # noqa: SLF001
    (_SHOWN, ExitReport._show),  # noqa: SLF001
    (_FAULT, ExitReport._fail),  # noqa: SLF001
)
