"""Whether the time of day can be believed: nothing is erased by a clock that was just set ahead.

The clock is believed where the history shows that it was used some days before, or where it has gone on for
a day without being set.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta

from engine.history.chain import chain
from engine.history.store.sql.connection import SqlConnection

STEADY = timedelta(days=1)
"""How long a clock has to go on by itself, or how long ago the history was used."""
RECENT = timedelta(days=14)
"""A clock that is set ahead by less is believed."""
DRIFT = timedelta(minutes=10)
"""A clock that gains or loses more between two looks was set."""
_USED = "SELECT 1 FROM cases WHERE submitted_at BETWEEN ? AND ? LIMIT 1"


class CredibleClock:
    """Compares the time of day with the history and with the time since the machine was started."""

    def __init__(self) -> None:
        self._since: tuple[datetime, float] | None = None
        """When the clock was first seen going on as it does now: the time of day, and since the start."""

    def believes(self, now: datetime, connection: SqlConnection, boot: float | None = None) -> bool:
        """Return whether `now` can be believed; `boot` are the seconds since the machine was started."""
        steady = self._is_steady(now, time.clock_gettime(time.CLOCK_BOOTTIME) if boot is None else boot)
        between = chain.stamp(now - RECENT), chain.stamp(now - STEADY)
        return steady or connection.execute(_USED, between).fetchone() is not None

    def _is_steady(self, now: datetime, boot: float) -> bool:
        if self._since is None or abs((now - self._since[0]) - _seconds(boot - self._since[1])) > DRIFT:
            self._since = now, boot
        return boot - self._since[1] >= STEADY.total_seconds()


def _seconds(count: float) -> timedelta:
    return timedelta(seconds=count)
