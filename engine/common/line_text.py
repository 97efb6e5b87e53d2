"""Which lines ran, in words: one wording for the console and the command line. Pure."""

from __future__ import annotations

from engine.common.text import many
from engine.models.lines import LineMark, RunLines

WORD = "as the guest says"
"""Who says so."""
_NAMES = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))


def hits_text(lines: RunLines, mark: LineMark) -> str:
    """Return how often a line ran, in at most five characters."""
    text = _short(mark.hits)
    return f"{text}+" if lines.hits_limit and mark.hits >= lines.hits_limit else text


def time_text(milliseconds: int) -> str:
    """Return the time on a line in at most five characters; nothing where it is not known."""
    if milliseconds < 1:
        return ""
    if milliseconds < 1000:
        return f"{milliseconds}ms"
    seconds = milliseconds / 1000
    if seconds < 1000:
        return f"{seconds:.1f}s" if seconds < 100 else f"{seconds:.0f}s"
    hours = seconds / 3600
    return f"{hours:.1f}h" if hours < 100 else f"{hours:.0f}h"


def lines_summary(lines: RunLines) -> str:
    """Return what is known of the lines of a run, in one line."""
    if not lines.marks:
        return "no line is marked"
    raised = sum(mark.raised > 0 for mark in lines.marks)
    parts = [f"{many(len(lines.marks), 'line')} ran", f"{many(raised, 'line')} raised" if raised else ""]
    parts += ["so far" if lines.partial else "", WORD]
    return ", ".join(part for part in parts if part)


def _short(count: int) -> str:
    for size, name in _NAMES:
        if (part := count / size) >= 0.9995:
            return f"{part:.0f}{name}" if part >= 9.95 else f"{part:.1f}{name}"
    return str(count)
