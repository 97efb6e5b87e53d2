"""What is known of the rehearsals of each submission. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.common.rehearsal_lines import verdict_line
from engine.models.rehearsal import Rehearsal

LOST_SECONDS = 130.0
"""After so long without a word, a rehearsal that went on is taken to be over."""
_MOST_KNOWN = 300


@dataclass(frozen=True)
class RehearsalState:
    """The rehearsal of one submission that goes on, the last that ended, and why one did not take place."""

    began: float | None = None
    """When the one that goes on began, in seconds of the loop's clock."""
    found: Rehearsal | None = None
    refused: str = ""

    def seconds(self, now: float) -> float:
        """Return for how long it has been going on."""
        return max(0.0, now - self.began) if self.began is not None else 0.0


NOTHING_KNOWN = RehearsalState()


class KnownRehearsals:
    """Remembers the rehearsals of the submissions that were displayed or rehearsed, a bounded number."""

    def __init__(self) -> None:
        self._states: dict[str, RehearsalState] = {}

    def __contains__(self, id: str) -> bool:
        return id in self._states

    def of(self, id: str) -> RehearsalState:
        """Return what is known of a submission."""
        return self._states.get(id, NOTHING_KNOWN)

    def begin(self, id: str, now: float) -> None:
        """Note that one goes on."""
        known = self.of(id)
        if known.began is None:
            self._keep(id, replace(known, began=now, refused=""))

    def end(self, id: str, found: Rehearsal | None) -> None:
        """Note the last one; None: there was none. One without a result hides no earlier one."""
        if found is not None and not found.ran:
            self.refuse(id, verdict_line(found))
            return
        self._keep(id, RehearsalState(found=found or self.of(id).found))

    def refuse(self, id: str, why: str) -> None:
        """Note why one has no result."""
        self._keep(id, replace(self.of(id), began=None, refused=why))

    def lost(self, id: str, now: float) -> bool:
        """Return whether one goes on for longer than any can."""
        return self.of(id).seconds(now) > LOST_SECONDS

    def _keep(self, id: str, state: RehearsalState) -> None:
        self._states.pop(id, None)
        self._states[id] = state
        if len(self._states) > _MOST_KNOWN:
            self._states.pop(next(iter(self._states)))
