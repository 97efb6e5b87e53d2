"""Run inside a terminal: asks it where its cursor is after each text, or draws a frame and waits.

Usage: measure.py widths TEXTS ANSWERS | measure.py frame FRAME READY
Files are JSON: a list of texts and the list of their widths in cells; a frame, and `true` once it is drawn.
"""

from __future__ import annotations

import json
import os
import re
import sys
import termios
import tty
from pathlib import Path
from typing import Any

REPORT = re.compile(rb"\x1b\[(\d+);(\d+)R")
"""The answer to DSR 6 (ECMA-48)."""
TOGETHER = 200
"""Questions that are open at once: their answers are fewer bytes than a terminal's input buffer holds."""
PRINT = b"\x1b[0i"
"""Media copy: xterm prints what is in the cells of its screen, where it has a printer; tmux ignores it."""


def widths(texts: list[str]) -> list[int]:
    """Return how many cells the cursor moves for each text."""
    found: list[int] = []
    for start in range(0, len(texts), TOGETHER):
        asked = texts[start : start + TOGETHER]
        os.write(1, b"".join(b"\x1b[H\x1b[2K" + text.encode() + b"\x1b[6n" for text in asked))
        found += _answers(len(asked))
    return found


def _answers(number: int) -> list[int]:
    heard = b""
    while len(found := REPORT.findall(heard)) < number:
        heard += os.read(0, 65536)
    return [int(column) - 1 + 1000 * (int(row) - 1) for row, column in found]


def draw(frame: str) -> bool:
    """Draw a frame from the top, and return once the terminal has done so and printed it."""
    os.write(1, b"\x1b[?25l\x1b[H\x1b[2J" + frame.replace("\n", "\r\n").encode() + PRINT + b"\x1b[6n")
    return bool(_answers(1))


def main(job: str, given: Path, answer: Path) -> None:
    """Do a job with the terminal in raw mode, write the answer whole, and wait after a frame."""
    before = termios.tcgetattr(0)
    tty.setraw(0)
    try:
        asked = json.loads(given.read_text(encoding="utf-8"))
        _write(answer, widths(asked) if job == "widths" else draw(asked))
        if job == "frame" and "XTERM_VERSION" not in os.environ:
            os.read(0, 1)
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def _write(path: Path, value: Any) -> None:
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(value), encoding="utf-8")
    unfinished.rename(path)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
