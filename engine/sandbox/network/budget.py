"""What one run's network has used, and how much it may."""

from __future__ import annotations

from dataclasses import dataclass

from engine.sandbox.api.egress_policy import EgressDenied


class BudgetExhausted(EgressDenied):
    """The run's network is used up."""


@dataclass(slots=True)
class Budget:
    """Requests and bytes, in both directions, headers and refused requests among them."""

    requests: int
    bytes: int
    requests_made: int = 0
    used: int = 0
    """Bytes to and from the outside."""

    def count_request(self) -> None:
        """Count a request. Raises Exhausted."""
        self.requests_made += 1
        if self.requests_made > self.requests:
            raise BudgetExhausted(f"more than {self.requests} requests")

    def spend(self, size: int) -> None:
        """Count bytes before they go on. Raises Exhausted."""
        self.used += size
        if self.used > self.bytes:
            raise BudgetExhausted(f"more than {self.bytes >> 20} MiB")
