"""Tells keys that a person pressed from a terminal's replies and from clicks on the name of a key."""

from __future__ import annotations

import asyncio
from collections import deque

from textual import events

BURST_SECONDS = 0.025
"""A terminal's reply arrives as one burst; a person's keys are further apart."""

MOUSE_SECONDS = 0.3
"""A key that comes this soon after a mouse button, or before it, was not pressed on a keyboard."""


class KeyGuard:
    """Records when keys arrived, by the time at which the terminal was read."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=8)
        self._mouse = float("-inf")

    def record(self, event: events.Event) -> None:
        """Record a key or a mouse button the first time that it is dispatched; ignore other events."""
        if event.is_forwarded:
            return
        if isinstance(event, events.Key):
            self.record_key(event.time)
        elif isinstance(event, events.MouseDown):
            self.record_mouse(event.time)

    def record_key(self, time: float) -> None:
        """Record a key."""
        self._times.append(time)

    def record_mouse(self, time: float) -> None:
        """Record a mouse button: a click on the name of a key presses that key."""
        self._mouse = time

    @property
    def no_input_yet(self) -> bool:
        """Whether neither a key nor a mouse button was pressed so far."""
        return not self._times and self._mouse == float("-inf")

    def isolated(self, time: float) -> bool:
        """Say whether no other key arrived close to the one at `time`."""
        near = [other for other in self._times if abs(other - time) < BURST_SECONDS]
        return len(near) <= 1

    def idle(self, now: float, seconds: float) -> bool:
        """Say whether no key arrived in the last `seconds`."""
        return not self._times or now - self._times[-1] >= seconds

    async def pressed_by_person(self) -> bool:
        """Say, after a moment, whether the last key was isolated and not a click."""
        if not self._times:
            return False
        pressed = self._times[-1]
        await asyncio.sleep(BURST_SECONDS)
        return self.isolated(pressed) and pressed - self._mouse > MOUSE_SECONDS
