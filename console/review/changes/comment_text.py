"""What a reviewer types to request changes: `12: text`, `12-14: text => suggestion`, or in general. Pure."""

from __future__ import annotations

import re

from engine.common.text import Untrusted
from engine.models import LineComment

_ON_LINES = re.compile(r"\s*(\d{1,7})(?:\s*-\s*(\d{1,7}))?\s*:(.*)", re.DOTALL)
ARROW = "=>"


def parse_comment(typed: str, lines: int) -> LineComment | str:
    """Return a comment on lines, or what was typed as a general comment.

    Raises:
        ValueError: the code has no such lines, or the comment says nothing.
    """
    found = _ON_LINES.fullmatch(typed)
    if found is None:
        return typed.strip()
    first, last = int(found[1]), int(found[2] or found[1])
    if not 1 <= first <= last <= lines:
        raise ValueError(f"The code has lines 1 to {lines}.")
    text, _, suggestion = found[3].partition(ARROW)
    if not text.strip() and not suggestion.strip():
        raise ValueError(f"Say what to change in line {first}.")
    return LineComment(
        first=first, last=last, text=Untrusted(text.strip()), suggestion=Untrusted(suggestion.strip())
    )


def place(comment: LineComment) -> str:
    """Return the lines of a comment: `12` or `12-14`."""
    return f"{comment.first}" if comment.first == comment.last else f"{comment.first}-{comment.last}"
