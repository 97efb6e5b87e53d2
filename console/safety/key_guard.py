"""Who pressed that key: a person, a terminal that answers an escape sequence, or a mouse on a key's name."""

from __future__ import annotations

import asyncio
from collections import deque

BURST_SECONDS = 0.025
"""A terminal's answer arrives as one burst; a person's keys lie further apart."""

MOUSE_SECONDS = 0.3
"""A key that comes this soon after a mouse button, or before it, was not pressed on a keyboard."""


class KeyGuard:
    """Remembers when keys came. Times are those of the moment in which the terminal was read."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=8)
        self._mouse = float("-inf")

    def note(self, time: float) -> None:
        """Remember a key press."""
        self._times.append(time)

    def record_mouse(self, time: float) -> None:
        """Remember that a mouse button went down: a click on a key's name presses that key."""
        self._mouse = time

    @property
    def no_input_yet(self) -> bool:
        """Whether neither a key nor a mouse button was pressed so far."""
        return not self._times and self._mouse == float("-inf")

    def isolated(self, time: float) -> bool:
        """Say whether no other key came close to the one that was pressed at `time`."""
        near = [other for other in self._times if abs(other - time) < BURST_SECONDS]
        return len(near) <= 1

    def still(self, now: float, seconds: float) -> bool:
        """Say whether no key came for so long."""
        return not self._times or now - self._times[-1] >= seconds

    async def pressed_by_person(self) -> bool:
        """Wait a moment, then say whether the last key stood alone and no mouse pressed it."""
        if not self._times:
            return False
        pressed = self._times[-1]
        await asyncio.sleep(BURST_SECONDS)
        return self.isolated(pressed) and pressed - self._mouse > MOUSE_SECONDS
