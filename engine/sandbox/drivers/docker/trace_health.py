"""The row of Health about the listener of effects: red for a while after effects were lost."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field

from engine.common.text import many
from engine.models import Check
from engine.models.observed import Observation
from engine.sandbox.isolation.health import row

NAME = "observed effects"
MEMORY_SECONDS = 600.0
"""For how long what was lost keeps the row red."""
START_SECONDS = 30.0
HINT = "pratique effects RUN   (it says what is missing; the listener is replaced by itself)"
_MOST = 1000


@dataclass(slots=True)
class TraceRecord:
    """What was lost lately, by the monotonic clock."""

    began: float = field(default_factory=time.monotonic)
    _losses: deque[tuple[float, str]] = field(default_factory=lambda: deque(maxlen=_MOST))
    _dropped: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_MOST))

    def lost(self, why: str) -> None:
        """Note that the listener of a run was lost."""
        self._losses.append((time.monotonic(), why))

    def observed(self, observation: Observation) -> None:
        """Note the end of a run whose events a sandbox could not all deliver."""
        if observation.dropped:
            self._dropped.append((time.monotonic(), observation.dropped))

    def check(self, *, ready: bool) -> Check:
        """Return the row; `ready`: the listener answers."""
        now = time.monotonic()
        losses = [why for at, why in self._losses if at > now - MEMORY_SECONDS]
        dropped = [count for at, count in self._dropped if at > now - MEMORY_SECONDS]
        if not ready and now - self.began > START_SECONDS and not losses:
            return row(NAME, False, "the listener does not start", "pratique stop && pratique serve")
        parts = [f"sandboxes that lost the listener: {len(losses):,} ({losses[-1]})"] if losses else []
        parts += [f"{many(sum(dropped), 'event')} of {many(len(dropped), 'run')} dropped"] if dropped else []
        if parts:
            return row(NAME, False, f"{'; '.join(parts)}, in the last 10 minutes", HINT)
        return row(NAME, True, "the listener answers" if ready else "the listener is being started", "")
