"""Shortens tracebacks to the frames of the submitted code. Pure."""

from __future__ import annotations

import re

_OWN = ""
"""The kind of a line that is no part of a library's frame."""
_FRAME = re.compile(r'^  File "([^"]{1,1000})", line \d+')
_FOREIGN_PLACES = ("/usr/", "/opt/", "/lib", "<frozen ", "node:")
_CELL = re.compile(r"^File (/\S{1,1000}?):\d+")
_STACK = re.compile(r"^ {4}at .{0,2000}?(?:\(|at )(node:|/opt/|/usr/)")


def shorten_traceback(text: str) -> str:
    """Return a text whose tracebacks show only the user's own frames, and the number of the others."""
    if "File " not in text and "    at " not in text:
        return text
    kept: list[str] = []
    dropped, ends = 0, _OWN
    for line in text.split("\n"):
        ends = _foreign(line, ends)
        if ends:
            dropped += _begins_frame(line)
            continue
        kept += _omitted(dropped)
        dropped = 0
        kept.append(line)
    return "\n".join([*kept, *_omitted(dropped)])


def _omitted(dropped: int) -> tuple[str, ...]:
    return (f"  [{dropped} frames of libraries left out]",) if dropped else ()


def _begins_frame(line: str) -> bool:
    return bool(_FRAME.match(line) or _CELL.match(line) or _STACK.match(line))


def _foreign(line: str, before: str) -> str:
    """Return which kind of a library's frame a line belongs to, given what the line before belonged to."""
    if frame := _FRAME.match(line):
        return "frame" if frame[1].startswith(_FOREIGN_PLACES) else _OWN
    if cell := _CELL.match(line):
        return "cell" if cell[1].startswith(_FOREIGN_PLACES) else _OWN
    if _STACK.match(line):
        return "stack"
    goes_on = line.startswith("    ") if before == "frame" else line.startswith((" ", "-")) or not line
    return before if before in {"frame", "cell"} and goes_on else _OWN
