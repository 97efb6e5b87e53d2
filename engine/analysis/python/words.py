"""Lists of words, written as text."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


def spaced(text: str) -> tuple[str, ...]:
    """Return the words of a text in which `~` stands for a blank within a word."""
    return tuple(word.replace("~", " ") for word in text.split())
