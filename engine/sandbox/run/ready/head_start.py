"""When the next sandbox may be made beside a run that took a ready one: making one slows it down."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

LONGEST_SECONDS = 0.5
"""A run has the processor this long at most."""
AFTERWARDS_SECONDS = 0.1
"""What a short run wrote is recorded and shown in this time after its end."""


class HeadStarts:
    """The head starts of runs, by the sandbox that each took; `over` is called at the end of each.

    While runs wait for a slot there are none: then the rate of runs is the rate at which sandboxes are made.
    """

    def __init__(self, over: Callable[[], None], runs_wait: Callable[[], bool]) -> None:
        self._over = over
        self._runs_wait = runs_wait
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def begin(self, sandbox: str) -> None:
        """Begin that of a run that took a ready sandbox, unless other runs wait."""
        if self._runs_wait():
            self._over()
        else:
            self._end_at(sandbox, asyncio.get_running_loop().time() + LONGEST_SECONDS)

    def ran(self, sandbox: str) -> None:
        """End that of a run soon, since it ended."""
        if (timer := self._timers.get(sandbox)) is not None:
            timer.cancel()
            soon = asyncio.get_running_loop().time() + AFTERWARDS_SECONDS
            self._end_at(sandbox, min(timer.when(), soon))

    def _end_at(self, sandbox: str, moment: float) -> None:
        self._timers[sandbox] = asyncio.get_running_loop().call_at(moment, self._end, sandbox)

    def _end(self, sandbox: str) -> None:
        del self._timers[sandbox]
        self._over()
