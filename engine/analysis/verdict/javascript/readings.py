"""Text that two readers could read differently."""

from __future__ import annotations

import re

_CHARACTERS = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\xa1-\\u167f\\u1681-\\u1fff\\u2010-\\u2027\\u2030-\\u205e\\u2070-\\u2fff\\u3001-\\ufdff\\ufe10-\\ufefe\\uff01-\\uffef\\U00010000-\\U0003ffff]"
)
"""Control characters and white space beyond plain blanks, tabs and line ends."""
_LONE_RETURN = re.compile(r"\r(?!\n)")


def misread(source: str) -> str | None:
    """Return why a text could be read differently from how the grammar reads it."""
    text = source.removeprefix("\ufeff")
    if _CHARACTERS.search(text) or _LONE_RETURN.search(text):
        return "the code has unusual white space or control characters"
    if "<!--" in text or "-->" in text:
        return "the code has what may be an HTML comment"
    if text.startswith("#!"):
        return "the code has an interpreter line"
    return None
