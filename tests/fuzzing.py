"""The time that random tests take: seconds, or what PRATIQUE_FUZZ_SECONDS says; the same inputs each time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from random import Random

SECONDS = "PRATIQUE_FUZZ_SECONDS"


def rounds(seconds: float = 2.0, most: float = 30.0) -> Iterator[Random]:
    """Yield one source of chance after the other until the time is over, one at least.

    It takes `most` seconds at most, whatever was asked for.
    """
    until = time.monotonic() + min(most, float(os.environ.get(SECONDS, str(seconds))))
    seed = 0
    while seed == 0 or time.monotonic() < until:
        yield Random(seed)  # noqa: S311  the same inputs each time
        seed += 1
