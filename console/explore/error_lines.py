"""Where a run of one's own code failed: the lines that its traceback names. It is the guest's word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.common.text import Untrusted
from engine.models import Language

LAST_LINES = 200
"""Lines of output that are looked at, from the end."""
LONGEST = 500
"""Characters of a line that are looked at."""

PYTHON_FRAME = re.compile(r' *(File "main\.py"|Cell In\[\d{1,6}\]), line (\d{1,7})')
NODE_FRAME = re.compile(r" +at (?:[^()]{0,200}\()?/workspace/main\.js:(\d{1,7}):\d")
NODE_PLACE = re.compile(r"/workspace/main\.js:(\d{1,7})$")
NODE_MESSAGE = re.compile(r"(?:Uncaught )?[A-Z]\w{0,80}(?:Error|Exception)\b")
SHELL_LINE = re.compile(r"(?:environment|main\.sh|bash): line (\d{1,7}): (.*)")


@dataclass(frozen=True)
class RunError:
    """What went wrong, and the lines that led there, the innermost first."""

    message: Untrusted
    lines: tuple[int, ...]


def run_error(output: Sequence[str], language: Language, count: int) -> RunError | None:
    """Return the last error in the output of code with `count` lines; None where none names a line of it."""
    tail = [line[:LONGEST] for line in output[-LAST_LINES:]]
    found = {
        Language.PYTHON: _python,
        Language.JAVASCRIPT: _javascript,
        Language.SHELL: _shell,
    }[language](tail)
    lines = tuple(dict.fromkeys(line for line in found.lines if 1 <= line <= count)) if found else ()
    return RunError(found.message, lines) if found and lines else None


def named_line(said: str, language: Language) -> int | None:
    """Return the line of the code that one line of a traceback names; None where it names none."""
    patterns = {
        Language.PYTHON: ((PYTHON_FRAME, 2),),
        Language.JAVASCRIPT: ((NODE_FRAME, 1), (NODE_PLACE, 1)),
        Language.SHELL: ((SHELL_LINE, 1),),
    }[language]
    found = [match[group] for pattern, group in patterns if (match := pattern.match(said[:LONGEST]))]
    return int(found[0]) if found else None


def _python(tail: list[str]) -> RunError | None:
    """Return the last error; in a session the first frame is of the code that ran; others may not be."""
    starts = [at for at, line in enumerate(tail) if line.startswith("Traceback ")]
    last = tail[starts[-1] :] if starts else tail
    found = [frame for line in last if (frame := PYTHON_FRAME.match(line))]
    frames = [int(frame[2]) for frame in found if frame[1] == found[0][1]]
    messages = [line for line in last if line and not line.startswith((" ", "Traceback "))]
    return RunError(Untrusted(messages[-1] if messages else ""), tuple(reversed(frames)))


def _javascript(tail: list[str]) -> RunError | None:
    at = max((at for at, line in enumerate(tail) if NODE_PLACE.match(line)), default=0)
    last = tail[at:]
    place = NODE_PLACE.match(last[0]) if last else None
    frames = [int(frame[1]) for line in last if (frame := NODE_FRAME.match(line))]
    message = next((line for line in last if NODE_MESSAGE.match(line)), "")
    return RunError(Untrusted(message), (*((int(place[1]),) if place else ()), *frames))


def _shell(tail: list[str]) -> RunError | None:
    found = [match for line in tail if (match := SHELL_LINE.match(line))]
    return RunError(Untrusted(found[-1][2]), (int(found[-1][1]),)) if found else None
