"""A run request whose last byte is released for a permit only."""

from __future__ import annotations

from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.permit import StartPermit, StartRequest


class SealedRequest:
    """The bytes for a sandbox's supervisor, which starts nothing before it has all of them."""

    def __init__(self, data: bytes, start: StartRequest) -> None:
        self.start = start
        self._data = data

    @property
    def body(self) -> bytes:
        """All bytes but the last, which may be sent early."""
        return self._data[:-1]

    def release(self, permit: StartPermit) -> bytes:
        """Return the last byte. Raises SandboxUnavailable: the permit is for another run or sandbox."""
        if permit.request != self.start:
            raise SandboxUnavailable("the permit is for another sandbox", "pratique doctor")
        return self._data[-1:]
