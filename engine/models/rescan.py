"""Rescans: what today's analysis and policy say of code that was submitted earlier."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel
from engine.models.history import Total


class RescanOutcome(StrEnum):
    """What today's analysis and policy say, beside what was said when it was submitted."""

    WORSE = "worse"
    """A higher risk, or a verdict further from harmless."""
    BETTER = "better"
    """A lower risk, or a verdict nearer to harmless."""
    CHANGED = "changed"
    """The same risk and verdict, by other rules of the analysis."""
    SAME = "same"


class RescanState(StrEnum):
    """Whether a rescan goes on."""

    RUNNING = "running"
    STOPPED = "stopped"
    FINISHED = "finished"


class RescanRequest(FrozenModel):
    """A rescan to start."""

    query: str = Field("", max_length=1000)
    """The submissions to rescan; empty: all."""
    share: float = Field(0.5, ge=0.01, le=1)
    """Of one core, how much it may use."""


class Rescan(FrozenModel):
    """A rescan and how far it is."""

    id: str
    request: RescanRequest
    by: Untrusted
    at: datetime
    policy: str
    """The hash of the policy that it applies."""
    total: Total
    done: int = 0
    skipped: int = 0
    """Of these, so many have no code: it was erased, or they are calls of tools."""
    counts: dict[RescanOutcome, int] = Field(default_factory=dict)
    state: RescanState = RescanState.RUNNING
    last: str = ""
    """The ID of the submission that was rescanned last; it goes from the newest to the oldest."""

    def counting(self, id: str, outcome: RescanOutcome | None) -> Rescan:
        """Return the progress after one more submission; no outcome where it has no code."""
        if outcome is None:
            return self._with(done=self.done + 1, last=id, skipped=self.skipped + 1)
        counts = {**self.counts, outcome: self.counts.get(outcome, 0) + 1}
        return self._with(done=self.done + 1, last=id, counts=counts)

    def ended(self, state: RescanState) -> Rescan:
        """Return the rescan as it ended."""
        return self._with(state=state)
