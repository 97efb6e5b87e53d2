"""Who pressed that key: a person, or a terminal that answers an escape sequence."""

from __future__ import annotations

import asyncio
from collections import deque

QUIET_SECONDS = 0.025
"""A terminal's answer arrives as one burst; a person's keys lie further apart."""


class KeyGuard:
    """Remembers when keys came. Times are those of the moment in which the terminal was read."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=8)

    def note(self, time: float) -> None:
        """Remember a key press."""
        self._times.append(time)

    def lonely(self, time: float) -> bool:
        """Say whether no other key came close to the one that was pressed at `time`."""
        near = [other for other in self._times if abs(other - time) < QUIET_SECONDS]
        return len(near) <= 1

    async def was_person(self) -> bool:
        """Wait a moment, then say whether the last key stood alone."""
        pressed = self._times[-1] if self._times else None
        await asyncio.sleep(QUIET_SECONDS)
        return pressed is None or self.lonely(pressed)
