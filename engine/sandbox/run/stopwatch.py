"""Time that counts for a run: what passed since it began, but not while it was frozen."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass(slots=True)
class Stopwatch:
    """Counts seconds, and can be stopped."""

    began: float = field(default_factory=time.monotonic)
    _lost: float = 0.0
    _stopped_at: float | None = None

    @property
    def stopped(self) -> bool:
        """Whether it stands still."""
        return self._stopped_at is not None

    def seconds(self) -> float:
        """Return the seconds that count."""
        now = time.monotonic() if self._stopped_at is None else self._stopped_at
        return now - self.began - self._lost

    def stop(self) -> None:
        """Count no more."""
        self._stopped_at = time.monotonic()

    def go_on(self) -> None:
        """Count again."""
        if self._stopped_at is not None:
            self._lost += time.monotonic() - self._stopped_at
            self._stopped_at = None
