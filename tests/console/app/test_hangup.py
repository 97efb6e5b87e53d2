"""A console whose terminal is gone ends, and does not read the end of its input for ever."""

from __future__ import annotations

import asyncio
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from console.app.hangup import HangupWatch, watch_terminal

PROGRAM = """
from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from engine.common.errors import Problem

async def connect():
    raise Problem(503, "There is no engine here")

ConsoleApp(connect, Preferences()).run()
"""
ALTERNATE_SCREEN = b"\x1b[?1049h"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Yield both ends of a terminal: of who types, and of the program."""
    front, back = pty.openpty()
    yield front, back
    os.close(back)


async def test_a_hang_up_is_told_and_keys_are_not(terminal: tuple[int, int]) -> None:
    """Keys that nobody has read yet are no hang-up; the end of the terminal is told once."""
    front, back = terminal
    told = asyncio.Queue[str]()
    watch = HangupWatch(back, lambda: told.put_nowait("gone"))
    os.write(front, b"keys\n")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(told.get(), 0.1)
    os.close(front)
    assert "gone" == await asyncio.wait_for(told.get(), 10)
    watch.close()
    assert told.empty()


async def test_nothing_is_told_once_nobody_watches(terminal: tuple[int, int]) -> None:
    """A console that has ended is not ended once more."""
    front, back = terminal
    told = asyncio.Queue[str]()
    HangupWatch(back, lambda: told.put_nowait("gone")).close()
    os.close(front)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(told.get(), 0.1)


def test_an_input_that_is_no_terminal_is_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a browser and in a pipe there is no terminal to lose."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr(sys, "__stdin__", nothing)
        assert watch_terminal() is None


@pytest.mark.terminal
@pytest.mark.parametrize("ignored", [False, True], ids=["as it is", "SIGHUP ignored"])
def test_the_console_ends_with_its_terminal(tmp_path: Path, terminal: tuple[int, int], ignored: bool) -> None:
    """Also where the terminal is not the controlling one, so that nobody sends SIGHUP, and under nohup."""
    front, back = terminal
    before = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" if ignored else ""
    process = subprocess.Popen(
        [sys.executable, "-c", before + PROGRAM],
        stdin=back,
        stdout=back,
        stderr=back,
        start_new_session=True,
        env={**os.environ, "PRATIQUE_HOME": str(tmp_path), "TERM": "xterm-256color"},
    )
    try:
        painted = b""
        while ALTERNATE_SCREEN not in painted or b"Pratique" not in painted:
            painted += os.read(front, 1 << 16)
        os.close(front)
        assert -signal.SIGHUP == process.wait(30)
    finally:
        process.kill()
        process.wait()
