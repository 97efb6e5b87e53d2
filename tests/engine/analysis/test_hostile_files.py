"""Files made to break an analyser do not break it, and do not pass."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from tests.benchmarks.hostile import fault, hostile


@pytest.mark.parametrize("seed", range(4))
def test_hostile_files_are_high(seed: int) -> None:
    """Nested, endless, doubled, zeroed or mangled: whatever stands around the payload, it is a violation."""
    files = hostile(220, seed, most=8000)
    faults = [(one, found) for one in files if (found := fault(analyse(one.source, one.language)))]
    assert [] == faults
