"""The network budget of one run: requests and bytes."""

from __future__ import annotations

from dataclasses import dataclass

from engine.sandbox.api.egress_policy import EgressDenied


class BudgetExhausted(EgressDenied):
    """The network budget of the run is exhausted."""


@dataclass(slots=True)
class Budget:
    """Counts requests and bytes in both directions, including headers and denied requests."""

    requests: int
    bytes: int
    requests_made: int = 0
    used: int = 0
    """Bytes sent and received."""

    def count_request(self) -> None:
        """Count a request. Raises BudgetExhausted."""
        self.requests_made += 1
        if self.requests_made > self.requests:
            raise BudgetExhausted(f"more than {self.requests} requests")

    def spend(self, size: int) -> None:
        """Count bytes before they are forwarded. Raises BudgetExhausted."""
        self.used += size
        if self.used > self.bytes:
            raise BudgetExhausted(f"more than {self.bytes >> 20} MiB")
