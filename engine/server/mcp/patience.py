"""How long a call may wait before it answers that it waits: shorter than its client does."""

from __future__ import annotations

from typing import Self

from engine.settings import ServerSettings

SHARE = 0.8
"""How much of the time after which a client gave up a call the next call takes."""
LEAST_SECONDS = 2.0
"""What is given up sooner was cancelled by somebody, not by a clock."""
PROMPT_SECONDS = 4.5
"""Sooner than the shortest time-out of common clients, 5 s: an answer within it was received."""


class Patience:
    """The patience of the clients of one agent: as configured, and less once one gave up."""

    def __init__(self, with_progress: float, without_progress: float, prompt: float = PROMPT_SECONDS) -> None:
        self._with_progress = with_progress
        self._without_progress = without_progress
        self._most = float("inf")
        self.prompt = prompt
        """Seconds within which an answer is surely received; a client that says how long it waits waits."""

    @classmethod
    def of(cls, settings: ServerSettings, given: float | None) -> Self:
        """Return that of a client that says how long it waits (`given`), or of any client."""
        if given is not None:
            return cls(given, given, max(PROMPT_SECONDS, given + 1))
        return cls(
            settings.mcp_wait_seconds, min(settings.mcp_silent_wait_seconds, settings.mcp_wait_seconds)
        )

    def seconds(self, *, progress: bool) -> float:
        """Return how long a call may wait, whose client asked for progress or did not."""
        return min(self._with_progress if progress else self._without_progress, self._most)

    def gave_up(self, after: float) -> None:
        """Note that a client gave up a call after so many seconds."""
        if after >= LEAST_SECONDS:
            self._most = min(self._most, after * SHARE)
