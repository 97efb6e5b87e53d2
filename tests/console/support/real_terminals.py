"""What real terminals make of text: tmux, and xterm on a display that nobody sees."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.console.support.tmux import LOOK_SECONDS, PATIENCE_SECONDS, Terminal

UTF_8 = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
NEEDS = {"tmux": ("tmux",), "xterm": ("xterm", "Xvfb")}
HALF = "\uffff"
"""What xterm prints for the second cell of a wide character."""


def cell_widths(terminal: str, texts: list[str], folder: Path) -> list[int]:
    """Return the cells that a terminal gives each of `texts`."""
    given, answer = _files(texts, folder)
    command = _command("widths", given, answer)
    if terminal == "tmux":
        with Terminal(command, UTF_8):
            return list(_wait_for(answer))
    with _xterm(command, 120, 36, folder):
        return list(_wait_for(answer))


def screen_of(terminal: str, frame: str, size: tuple[int, int], folder: Path) -> list[str]:
    """Return the lines that a terminal has in its cells after it drew a frame, without blanks at the end."""
    given, answer = _files(frame, folder)
    command = _command("frame", given, answer)
    width, height = size
    if terminal == "tmux":
        with Terminal(command, UTF_8, width, height + 1) as tmux:
            _wait_for(answer)
            return [line.rstrip() for line in tmux.screen().split("\n")[:height]]
    with _xterm(command, width, height, folder) as process:
        process.wait(PATIENCE_SECONDS)
    printed = (folder / "printed").read_text(encoding="utf-8").replace("\r", "")
    return [line.replace(HALF, "").rstrip() for line in printed.split("\n")[:height]]


def skip_without(terminal: str) -> None:
    """Skip a test where the programs of a terminal are missing."""
    if missing := [name for name in NEEDS[terminal] if shutil.which(name) is None]:
        pytest.skip(f"{' and '.join(missing)} missing. Type: sudo apt-get install {terminal} xvfb")


def _files(given: Any, folder: Path) -> tuple[Path, Path]:
    path = folder / "given.json"
    path.write_text(json.dumps(given), encoding="utf-8")
    return path, folder / "answer.json"


def _command(job: str, given: Path, answer: Path) -> str:
    return shlex.join(
        [sys.executable, str(Path(__file__).with_name("measure.py")), job, str(given), str(answer)]
    )


def _wait_for(answer: Path) -> Any:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not answer.exists():
        assert time.monotonic() < deadline, "the terminal did not answer"
        time.sleep(LOOK_SECONDS)
    return json.loads(answer.read_text(encoding="utf-8"))


@contextmanager
def _xterm(command: str, width: int, height: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command in an xterm whose printer is the file `printed`."""
    printer = f"cat > {shlex.quote(str(folder / 'printed'))}"
    options = ["-xrm", f"XTerm*printerCommand: {printer}", "-xrm", "XTerm*printAttributes: 0"]
    size = f"{width}x{height}"
    with _display() as display:
        environment = {**UTF_8, "DISPLAY": display}
        started = ["xterm", "-u8", "-geometry", size, *options, "-e", command]
        process = subprocess.Popen(started, env=environment, stderr=subprocess.DEVNULL)
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE_SECONDS)


@contextmanager
def _display() -> Iterator[str]:
    """Start an X server on a free display."""
    server = ["Xvfb", "-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"]
    process = subprocess.Popen(server, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout
    try:
        yield f":{process.stdout.readline().decode().strip()}"
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)
        process.stdout.close()
