"""What a run used in the last minute, one point per second. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from engine.models import Case, Limits, Meters

SECONDS = 60
BLOCKS = "▁▂▃▄▅▆▇█"
MEBI = 1024 * 1024


class UsageHistory:
    """The newest sample of a run, and the busiest one of each second before it."""

    def __init__(self) -> None:
        self.last: Meters | None = None
        self._points: deque[Meters] = deque(maxlen=SECONDS)

    def take(self, sample: Meters) -> None:
        """Add a sample; within one second the busiest is kept."""
        self.last = sample
        if self._points and int(self._points[-1].at) == int(sample.at):
            if sample.cpu >= self._points[-1].cpu:
                self._points[-1] = sample
        else:
            self._points.append(sample)

    def past(self, part: Callable[[Meters], float], cells: int) -> str:
        """Return the last `cells` seconds as a sparkline; `part` gives the share of the limit."""
        kept = list(self._points)[-cells:] if cells > 0 else []
        return "".join(BLOCKS[min(7, max(0, int(part(each) * 8)))] for each in kept)


def limits_of(case: Case | None) -> Limits:
    """Return the granted limits, or the requested ones before a decision."""
    if case is None:
        return Limits()
    if case.decision is not None and case.decision.grant is not None:
        return case.decision.grant.permissions.limits
    return case.submission.draft.permissions.limits


def hosts_of(case: Case) -> int:
    """Return how many hosts the run may contact."""
    decision = case.decision
    permissions = (
        decision.grant.permissions if decision and decision.grant else case.submission.draft.permissions
    )
    return len(permissions.domains)
