"""What a run used of what it may have, as a line of small bars."""

from __future__ import annotations

from console.run.usage import UsageHistory
from engine.models import Meters


def test_a_bar_is_as_high_as_the_share_of_the_limit() -> None:
    """At a twentieth of the limit the lowest, at all of it the highest."""
    usage = UsageHistory()
    for at, memory in enumerate((5, 50, 100)):
        usage.take(Meters(at=at, cpu=0, memory=memory, memory_peak=memory, processes=1))
    assert "▁▅█" == usage.past(lambda sample: sample.memory / 100, cells=10)
