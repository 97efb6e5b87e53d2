"""How many there are of something, in words: the same on every screen and in every answer."""

from __future__ import annotations


def many(count: int, thing: str) -> str:
    """Return how many there are of something, in words: `1 line`, `2 lines`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
