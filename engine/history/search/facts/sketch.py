"""A sketch of code: the smallest hashes of its runs of tokens. Code that is alike shares most of them."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b

SIZE = 8
"""So many hashes make a sketch; short code has fewer."""
TOGETHER = 4
"""So many tokens are hashed together."""
MOST_CHARACTERS = 1 << 16
"""So much of the code counts."""
_TOKEN = re.compile(r"[^\W\d]\w*|\d+|[^\w\s]")


@lru_cache(maxsize=16)  # a case has several records, and its code may be long
def sketch(code: str) -> frozenset[str]:
    """Return the sketch of code: white space and the digits of numbers do not matter."""
    tokens = ["0" if token.isdigit() else token for token in _TOKEN.findall(code[:MOST_CHARACTERS])]
    runs = {" ".join(tokens[at : at + TOGETHER]) for at in range(max(1, len(tokens) - TOGETHER + 1))}
    hashes = (blake2b(run.encode("utf-8", "replace"), digest_size=8).hexdigest() for run in runs if run)
    return frozenset(sorted(hashes)[:SIZE])


def needed(size: int) -> int:
    """Return how many hashes of a sketch of that size another one shares that is alike."""
    return max(1, (size * 5 + 7) // 8)
