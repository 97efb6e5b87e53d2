"""The lines of the meter in a sandbox."""

from __future__ import annotations

import pytest

from engine.sandbox.drivers.kubernetes.guest_meter import reading


def test_a_line_is_a_reading() -> None:
    """Ticks are hundredths of a second, memory is in KiB; the peak is the most of all readings."""
    usage = reading(b"250 1024 3", peak=2 << 20)
    assert usage is not None
    assert (2.5, 1 << 20, 2 << 20, 3) == (usage.cpu_seconds, usage.memory, usage.memory_peak, usage.tasks)


@pytest.mark.parametrize("line", [b"", b"1 2", b"-1 2 3", b"1 2 3 4", b"a b c", b"9" * 40 + b" 1 1"])
def test_what_is_no_line_of_the_meter_is_none(line: bytes) -> None:
    """Anything else is not taken for a reading."""
    assert reading(line, 0) is None
