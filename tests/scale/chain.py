"""The one chain of the history: whoever appends waits for a commit of its engine, one after the other."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Generator
from typing import Any

import simpy

from tests.scale.measured import MOST_IN_A_COMMIT, Costs


class Chain:
    """A single server that works in batches, and may be down."""

    def __init__(self, environment: simpy.Environment, costs: Costs) -> None:
        self._environment = environment
        self._costs = costs
        self._waiting: OrderedDict[object, deque[tuple[int, simpy.Event]]] = OrderedDict()
        self._wanted = environment.event()
        self.up = True
        self.busy = 0.0
        """Seconds in which it worked."""
        self.longest = 0
        """The most appends of one engine that ever waited."""
        environment.process(self._serve())

    def append(self, engine: object, events: int) -> simpy.Event:
        """Return what happens once so many events of an engine are on disk."""
        done = self._environment.event()
        line = self._waiting.setdefault(engine, deque())
        line.append((events, done))
        self.longest = max(self.longest, len(line))
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
            seconds = self._costs.commit_of(events)
            yield self._environment.timeout(seconds)
            self.busy += seconds
            for done in batch:
                done.succeed()

    def _batch(self) -> tuple[list[simpy.Event], int]:
        """Take what waits of the engine whose turn it is: one commit holds events of one engine alone."""
        engine, line = self._waiting.popitem(last=False)
        batch, total = [], 0
        while line and total < MOST_IN_A_COMMIT:
            events, done = line.popleft()
            batch.append(done)
            total += events
        if line:
            self._waiting[engine] = line
        return batch, total
