"""A real terminal: tmux runs a program, a test types into it and reads its screen."""

from __future__ import annotations

import os
import subprocess
import time
import uuid
from collections.abc import Mapping
from types import TracebackType
from typing import Self

PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 0.1


class Terminal:
    """One program in a tmux server of its own."""

    def __init__(
        self, command: str, environment: Mapping[str, str], width: int = 120, height: int = 36
    ) -> None:
        self._server = f"pratique-{uuid.uuid4().hex[:8]}"
        self._start = [
            *("new-session", "-d", "-x", str(width), "-y", str(height)),
            *(part for name, value in environment.items() for part in ("-e", f"{name}={value}")),
            command,
        ]

    def __enter__(self) -> Self:
        self._tmux("-f", "/dev/null", *self._start)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tmux("kill-server", check=False)

    def type(self, *keys: str) -> None:
        """Press keys, by tmux's names, one after the other."""
        for key in keys:
            self._tmux("send-keys", key)

    def screen(self) -> str:
        """Return what the screen shows."""
        return self._tmux("capture-pane", "-p")

    def colours(self) -> str:
        """Return what the screen shows, with the sequences that colour it."""
        return self._tmux("capture-pane", "-p", "-e")

    def see(self, *texts: str) -> str:
        """Return the screen once it shows all of `texts`."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            screen = self.screen()
            if all(text in screen for text in texts):
                return screen
            time.sleep(LOOK_SECONDS)
        raise AssertionError(f"never saw {texts} together; the screen is:\n{self.screen()}")

    def press_until(self, key: str, text: str) -> str:
        """Press a key, again where it was too early, and return the screen once it shows `text`."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            self.type(key)
            for _ in range(20):
                if text in (screen := self.screen()):
                    return screen
                time.sleep(LOOK_SECONDS)
        raise AssertionError(f"{key} never led to {text!r}; the screen is:\n{self.screen()}")

    def process(self) -> int:
        """Return the program's process id."""
        return int(self._tmux("display-message", "-p", "#{pane_pid}"))

    def title(self) -> str:
        """Return the terminal's title."""
        return self._tmux("display-message", "-p", "#{pane_title}").strip()

    def clipboard(self) -> str:
        """Return what programs have put into the clipboard."""
        return self._tmux("show-buffer", check=False)

    def _tmux(self, *arguments: str, check: bool = True) -> str:
        command = ["tmux", "-L", self._server, *arguments]
        inherited = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "LINES"}}
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False, env=inherited)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout
