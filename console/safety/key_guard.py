"""Tells keys that a person pressed from a terminal's replies and from clicks on the name of a key."""

from __future__ import annotations

import asyncio
from collections import deque

from textual import events

BURST_SECONDS = 0.025
"""A terminal's reply arrives as one burst; a person's keys are further apart."""

TYPING_SECONDS = 0.3
"""The keys of text that somebody types are closer together."""

MOUSE_SECONDS = 0.3
"""A key that comes this soon after a mouse button, or before it, was not pressed on a keyboard."""


class KeyGuard:
    """Records when keys arrived, by the time at which the terminal was read."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=8)
        self._mouse = float("-inf")
        self._printable = False

    def record(self, event: events.Event) -> None:
        """Record a key or a mouse button the first time that it is dispatched; ignore other events."""
        if event.is_forwarded:
            return
        if isinstance(event, events.Key):
            self.record_key(event.time, printable=event.is_printable)
        elif isinstance(event, events.MouseDown):
            self.record_mouse(event.time)

    def record_key(self, time: float, *, printable: bool = False) -> None:
        """Record a key, and whether it is one of those that text consists of."""
        self._times.append(time)
        self._printable = printable

    def record_mouse(self, time: float) -> None:
        """Record a mouse button: a click on the name of a key presses that key."""
        self._mouse = time

    @property
    def no_input_yet(self) -> bool:
        """Whether neither a key nor a mouse button was pressed so far."""
        return not self._times and self._mouse == float("-inf")

    def isolated(self, time: float, seconds: float = BURST_SECONDS) -> bool:
        """Say whether no other key arrived within `seconds` of the one at `time`."""
        near = [other for other in self._times if abs(other - time) < seconds]
        return len(near) <= 1

    def idle(self, now: float, seconds: float) -> bool:
        """Say whether no key arrived in the last `seconds`."""
        return not self._times or now - self._times[-1] >= seconds

    async def pressed_by_person(self) -> bool:
        """Say, after a moment, whether the last key was isolated and not a click."""
        return await self._isolated_after(BURST_SECONDS)

    async def pressed_alone(self) -> bool:
        """Say, after a longer moment, whether the last key was also no part of text that is typed."""
        return await self._isolated_after(TYPING_SECONDS if self._printable else BURST_SECONDS)

    async def _isolated_after(self, seconds: float) -> bool:
        if not self._times:
            return False
        pressed = self._times[-1]
        await asyncio.sleep(seconds)
        return self.isolated(pressed, seconds) and pressed - self._mouse > MOUSE_SECONDS
