"""Caches of names do not keep what somebody made long to fill the memory."""

from __future__ import annotations

from collections import Counter

from engine.common.caches.short_cache import LONGEST, short_cache


def test_short_texts_are_answered_once_and_long_ones_anew() -> None:
    """One character more than the longest is not kept."""
    asked: Counter[int] = Counter()

    @short_cache(8)
    def upper(text: str) -> str:
        asked[len(text)] += 1
        return text.upper()

    short, long = "a" * LONGEST, "a" * (LONGEST + 1)
    assert ("A" * LONGEST,) * 2 == (upper(short), upper(short))
    assert ("A" * (LONGEST + 1),) * 2 == (upper(long), upper(long))
    assert {LONGEST: 1, LONGEST + 1: 2} == asked


def test_only_so_many_are_kept() -> None:
    """The first of nine texts is forgotten by a cache of eight."""
    asked: list[str] = []

    @short_cache(8)
    def noted(text: str) -> None:
        asked.append(text)

    for text in (*"abcdefghi", "i", "a"):
        noted(text)
    assert list("abcdefghia") == asked
