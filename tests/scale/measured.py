"""What one run costs: measured on the tests' own machines (two cores), or assumed where nothing was measured.

Durations are in seconds. A measured one names the page that it comes from.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

MOST_IN_A_COMMIT = 500
_P95 = 1.6449
"""The 95th percentile of the standard normal distribution."""


@dataclass(frozen=True)
class Duration:
    """A log-normal duration, given by its median and its 95th percentile."""

    median: float
    p95: float

    @property
    def sigma(self) -> float:
        """The standard deviation of its logarithm."""
        return math.log(self.p95 / self.median) / _P95

    @property
    def mean(self) -> float:
        """The expected duration."""
        return self.median * math.exp(self.sigma**2 / 2)

    def draw(self, chance: random.Random) -> float:
        """Return one."""
        return self.median * math.exp(self.sigma * chance.gauss(0, 1))


@dataclass(frozen=True)
class Costs:
    """What the parts of one run take."""

    submit_cpu: Duration = Duration(0.009, 0.020)
    """Of one core of an engine: HTTP, analysis, policy. Measured (`python -m tests.scale.engine_cpu`)."""
    rest_cpu: Duration = Duration(0.070, 0.140)
    """Of the same core: decision, start, output, effects, end. Measured likewise."""
    event: float = (MOST_IN_A_COMMIT / 11_167 - 1 / 107) / (MOST_IN_A_COMMIT - 1)
    """One more event in a commit to the chain in PostgreSQL. Measured (`bench chain`): 11,167 events a second
    with 500 in a commit, 107 with one, beside 668 bare commits a second."""
    commit: float = 1 / 107 - event
    """What each commit takes besides; it holds events of one engine. Measured likewise."""
    make: Duration = Duration(1.4, 1.8)
    """One Pod with gVisor, two being made at once on its node. Measured: 1.4 a second."""
    remove: Duration = Duration(1.4, 2.3)
    """Until its processes are gone. Measured."""
    first_byte: Duration = Duration(0.148, 0.300)
    """From a decision on disk to the first output of a warm Pod. Measured (docs/kubernetes.md)."""
    api_call: float = 0.008
    """One call of the API server that makes a Pod. Measured."""
    run: Duration = Duration(1.0, 20.0)
    """How long a program runs. Assumed."""
    decision: Duration = Duration(10.0, 45.0)
    """How long a reviewer takes. Assumed; ten seconds is what Review is built for."""
    away: float = 0.3
    """The share of their time in which reviewers do something else. Assumed."""

    def commit_of(self, events: int) -> float:
        """Return what a commit of so many events takes."""
        return self.commit + events * self.event


EVENTS_SUBMIT, EVENTS_DECISION, EVENTS_RUN = 4, 2, 6
"""Events that a run leaves in the history: 12.2 in the benchmarks' made-up history."""
EVENTS = EVENTS_SUBMIT + EVENTS_DECISION + EVENTS_RUN
TAKEOVER = 10.0
"""Until the other engines have closed what a dead one ran. Measured to stay below in small campaigns."""
RETRY = 5.0
"""After which a client that was answered 503 asks again."""
