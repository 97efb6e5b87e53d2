"""The elapsed time of a run, without its pauses."""

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
        """Whether it is stopped."""
        return self._stopped_at is not None

    def seconds(self) -> float:
        """Return the elapsed seconds, without pauses."""
        now = time.monotonic() if self._stopped_at is None else self._stopped_at
        return now - self.began - self._lost

    def stop(self) -> None:
        """Stop counting."""
        self._stopped_at = time.monotonic()

    def resume(self) -> None:
        """Go on counting."""
        if self._stopped_at is not None:
            self._lost += time.monotonic() - self._stopped_at
            self._stopped_at = None
