"""Masks text that comes in parts: nothing is given away of a secret that may go on in the next part."""

from __future__ import annotations

import re

from engine.policy.output.masking import secrets
from engine.policy.output.masking.shapes import MOST_KEY, open_key
from engine.policy.output.masking.spans import joined

MOST_HELD = 1 << 17
"""Characters that are held back at most; no secret is longer."""
MOST_SECRET = 1 << 14
"""Characters at the end of a text without line ends in which a secret may have begun."""
_BLOCK = re.compile(r"(?<![^\n])(?:[ \t]{0,16}[A-Za-z0-9+/]{40,200}+\r?\n)+\Z")
_OPEN = re.compile(r"[^\n]*(?:[=:][ \t]*[|>]?[+-]?|\b(?:machine|login|default|account)[ \t]+\S+)[ \t\r]*\n\Z")


def settled(text: str, end: int) -> int:
    """Return how much of a text, `end` characters at most, holds no secret that what follows would change."""
    if len(text) > MOST_HELD:
        return end
    key = open_key(text[-MOST_KEY:])
    if key is not None:
        end = min(end, max(0, len(text) - MOST_KEY) + key)
    end = _before_block(text, end)
    for span in reversed(joined(secrets(text))):
        if span.start < end and (span.end > end or (span.end == end and text[end - 1] != "\n")):
            end = span.start
    return end


def _before_block(text: str, end: int) -> int:
    """Return the end before lines that may go on: base64, or a name whose value is in the next line."""
    lines = text[:end]
    start = len(lines)
    while start and (place := lines.rfind("\n", 0, start - 1) + 1) < start and _goes_on(lines[place:start]):
        start = place
    return start


def _goes_on(line: str) -> bool:
    return bool(_BLOCK.match(line) or _OPEN.match(line))
