"""The console in its own process and pty: press keys, and read what it paints."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

GIVE_UP_SECONDS = 60.0
KEPT_BYTES = 4 << 20


class PtyConsole:
    """A program on a pty of 140 by 40 cells."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = command
        self._environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self._painted = bytearray()
        self._gone = 0
        self._came = threading.Condition()

    def __enter__(self) -> Self:
        self._front, back = pty.openpty()
        fcntl.ioctl(back, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
        self.began = time.perf_counter()
        self._process = subprocess.Popen(self._command, stdin=back, stdout=back, stderr=back,
                                         env=self._environment, start_new_session=True)  # fmt: skip
        os.close(back)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._front, 1 << 16)
            except OSError:
                break
            with self._came:
                self._painted += data
                if len(self._painted) > KEPT_BYTES:
                    self._gone += len(self._painted) - KEPT_BYTES // 2
                    del self._painted[: len(self._painted) - KEPT_BYTES // 2]
                self._came.notify_all()
        os.close(self._front)

    @property
    def end(self) -> int:
        """How many bytes were painted so far."""
        with self._came:
            return self._gone + len(self._painted)

    def see(self, *words: bytes, since: int = 0, seconds: float = GIVE_UP_SECONDS) -> float:
        """Wait until one of `words` is painted after the byte `since`; return the moment."""
        deadline = time.perf_counter() + seconds
        with self._came:
            while not any(word in self._painted[max(0, since - self._gone) :] for word in words):
                if not self._came.wait(deadline - time.perf_counter()):
                    raise TimeoutError(f"{words} was not painted; the last was {self._painted[-2000:]!r}")
            return time.perf_counter()

    def press(self, keys: bytes) -> tuple[int, float]:
        """Press keys; return how many bytes were painted before, and the moment."""
        before = self.end
        moment = time.perf_counter()
        if self._process.poll() is not None:
            raise RuntimeError(f"the program ended; the last was {self._painted[-2000:]!r}")
        os.write(self._front, keys)
        return before, moment

    def resize(self, rows: int, columns: int) -> None:
        """Give the terminal another size."""
        fcntl.ioctl(self._front, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGWINCH)

    def ended(self, seconds: float) -> bool:
        """Wait for the end of the program; False where it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    def until_painted(self, keys: bytes, *words: bytes) -> float:
        """Press keys and return the milliseconds until one of `words` is painted."""
        before, moment = self.press(keys)
        return (self.see(*words, since=before) - moment) * 1000

    def saw(self, word: bytes, since: int) -> bool:
        """Say whether a word was painted after the byte `since`."""
        with self._came:
            return word in self._painted[max(0, since - self._gone) :]

    def cpu(self) -> float:
        """Return the seconds of CPU that the process took so far."""
        threads = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9

    def memory(self) -> int:
        """Return the bytes of memory that the process holds."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")


def console(home: Path, program: str = "from console.main import main; main()") -> PtyConsole:
    """Return the console of the engine of a home, or a program around it, to somebody who has been there."""
    (home / "console-welcomed").touch()
    return PtyConsole([sys.executable, "-c", program], {"PRATIQUE_HOME": str(home)})
