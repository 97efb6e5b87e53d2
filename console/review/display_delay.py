"""How long something has to be displayed before a key can approve it."""

from __future__ import annotations

import asyncio

DELAY_SECONDS = 0.4
"""Long enough that a key meant for what was on screen before approves nothing."""


class DisplayDelay:
    """Tells whether what is on screen was displayed long enough."""

    def __init__(self) -> None:
        self._since = float("inf")

    def restart(self) -> None:
        """Begin to count anew."""
        self._since = asyncio.get_running_loop().time()

    @property
    def over(self) -> bool:
        """Whether the delay is over; never before the first `restart`."""
        return asyncio.get_running_loop().time() - self._since >= DELAY_SECONDS
