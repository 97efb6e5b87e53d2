"""What every way out does, and how it fails."""

from __future__ import annotations

from typing import Protocol

from engine.notifications.notice import Notice


class DeliveryError(Exception):
    """A notice was not delivered. `refused`: the receiver will not take this one, later either."""

    def __init__(self, reason: str, *, refused: bool = False, retry_after: float = 0) -> None:
        super().__init__(reason)
        self.refused = refused
        self.retry_after = retry_after


class Sender(Protocol):
    """A way out."""

    async def send(self, notice: Notice) -> None:
        """Deliver a notice within the receiver's time. Raises DeliveryError."""
