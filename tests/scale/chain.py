"""The one chain of the history: whoever appends waits for a commit that takes all that waits."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from typing import Any

import simpy

from tests.scale.measured import MOST_IN_A_COMMIT, Costs


class Chain:
    """A single server that works in batches, and may be down."""

    def __init__(self, environment: simpy.Environment, costs: Costs) -> None:
        self._environment = environment
        self._costs = costs
        self._waiting: deque[tuple[int, simpy.Event]] = deque()
        self._wanted = environment.event()
        self.up = True
        self.busy = 0.0
        """Seconds in which it worked."""
        self.longest = 0
        """The most events that ever waited."""
        environment.process(self._serve())

    def append(self, events: int) -> simpy.Event:
        """Return what happens once so many events are on disk."""
        done = self._environment.event()
        self._waiting.append((events, done))
        self.longest = max(self.longest, len(self._waiting))
        self._wake()
        return done

    def fail(self) -> None:
        """Commit nothing any more."""
        self.up = False

    def recover(self) -> None:
        """Commit again, beginning with what waits."""
        self.up = True
        self._wake()

    def _wake(self) -> None:
        if self.up and not self._wanted.triggered:
            self._wanted.succeed()

    def _serve(self) -> Generator[simpy.Event, Any, None]:
        while True:
            if not self._waiting or not self.up:
                self._wanted = self._environment.event()
                yield self._wanted
                continue
            batch, events = self._batch()
            seconds = self._costs.commit + events * self._costs.event
            yield self._environment.timeout(seconds)
            self.busy += seconds
            for done in batch:
                done.succeed()

    def _batch(self) -> tuple[list[simpy.Event], int]:
        batch, total = [], 0
        while self._waiting and total < MOST_IN_A_COMMIT:
            events, done = self._waiting.popleft()
            batch.append(done)
            total += events
        return batch, total
