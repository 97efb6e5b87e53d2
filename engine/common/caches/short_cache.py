"""A cache of answers about names: what is long is not kept, as whoever wrote it could fill the memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

Answer = TypeVar("Answer")
LONGEST = 200
"""Longer texts, in characters, are answered anew each time."""


def short_cache(most: int) -> Callable[[Callable[[str], Answer]], Callable[[str], Answer]]:
    """Keep the answers of a function about the last `most` different short texts."""

    def keeping(function: Callable[[str], Answer]) -> Callable[[str], Answer]:
        kept = lru_cache(most)(function)

        @wraps(function)
        def answer(text: str) -> Answer:
            return kept(text) if len(text) <= LONGEST else function(text)

        return answer

    return keeping
