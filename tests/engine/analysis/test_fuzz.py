"""Fuzzing with the same files each time, for a minute in CI."""

from __future__ import annotations

import os
import time

from engine.analysis import analyse
from tests.benchmarks.hostile import fault, hostile

_SECONDS = min(float(os.environ.get("PRATIQUE_FUZZ_SECONDS", "5")), 30.0)
_FIRST, _LAST = 100, 900
_OF_EACH_KIND = 45
"""One file of each kind in each language."""


def test_fuzzing_finds_no_failure() -> None:
    """No analysis breaks, and none lets a payload pass."""
    until = time.monotonic() + _SECONDS
    faults = []
    for seed in range(_FIRST, _LAST):
        for one in hostile(_OF_EACH_KIND, seed, most=3000):
            faults += [(seed, one, found) for found in [fault(analyse(one.source, one.language))] if found]
        if time.monotonic() > until:
            break
    assert [] == faults
