"""The row of Health about the clock: whether it was set while the engine ran."""

from __future__ import annotations

import time
from collections.abc import Callable

from engine.common.text import Untrusted
from engine.models import Check

MOST_SECONDS = 5.0
"""A clock that went on by more than that, or less, than time did was set."""
HINT = "timedatectl   (set the clock right, then type: pratique stop; pratique serve)"


def _steady() -> float:
    """Return seconds that no setting of the clock changes, and that go on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class ClockCheck:
    """Compares the clock with the time that went by since the engine started."""

    def __init__(self, clock: Callable[[], float] = time.time, steady: Callable[[], float] = _steady) -> None:
        self._clock = clock
        self._steady = steady
        self._begin = clock() - steady()

    def check(self) -> Check:
        """Return the row: failing for as long as the clock is another one than at the start."""
        jump = self._clock() - self._steady() - self._begin
        if abs(jump) <= MOST_SECONDS:
            return Check(name="clock", ok=True, detail=Untrusted("it was not set since the engine started"))
        way = "forward" if jump > 0 else "back"
        detail = (
            f"it was set {way} by {abs(jump):,.0f} s since the engine started: deadlines and times are off"
        )
        return Check(name="clock", ok=False, detail=Untrusted(detail), hint=HINT)
