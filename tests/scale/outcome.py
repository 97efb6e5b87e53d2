"""What a simulation found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.benchmarks.row import percentiles


@dataclass
class Outcome:
    """Counts, and the seconds that somebody waited."""

    submitted: int = 0
    refused: int = 0
    """Submissions that were answered 503 at least once, and came again."""
    finished: int = 0
    interrupted: int = 0
    """Runs that ended with their node or their engine; none starts again."""
    answers: list[float] = field(default_factory=list)
    """From the first try of a submission to its answer."""
    starts: list[float] = field(default_factory=list)
    """From a decision to the first byte of output."""
    waits: list[float] = field(default_factory=list)
    """From an answer to a person's decision."""
    open_at_end: int = 0
    longest_chain: int = 0
    use: dict[str, float] = field(default_factory=dict)
    """The share of its time that each part was busy."""
    worst_minute: float = 0.0
    """The worst median of the starts of one minute."""

    @property
    def lost(self) -> int:
        """Submissions that nobody knows of any more: none, if the simulation keeps its books."""
        return self.submitted - self.finished - self.interrupted - self.open_at_end


def described(seconds: Sequence[float]) -> str:
    """Return median, 95th and 99th percentile."""
    if not seconds:
        return "-"
    return " / ".join(_time(one) for one in percentiles(seconds))


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
