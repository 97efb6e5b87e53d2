"""The audit log: its records, and what verifying them found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel


class Event(FrozenModel):
    """One record of the audit log, chained to the record before by its hash."""

    seq: int = Field(ge=1)
    at: datetime
    type: str
    subject: str
    """The id of what it happened to; empty for the engine itself."""
    actor: Untrusted
    data: dict[str, Any]
    previous: Digest
    hash: Digest


class WitnessMark(FrozenModel):
    """A witness, and the last record of the history up to which it agrees."""

    name: str
    records: int


class Verification(FrozenModel):
    """What reading the whole audit log found: intact, or the first record that is not as it was written."""

    events: int
    intact: bool
    checkpoints: int = 0
    """How many signed checkpoints agree with the events."""
    witnessed: int = 0
    """How many checkpoints kept by a witness agree with them too."""
    last_at: datetime | None = None
    """When the last record was made."""
    key: str = ""
    """The public key (hexadecimal) that signed the end of the history; empty where nothing is signed."""
    witnesses: tuple[WitnessMark, ...] = ()
    """What shows that no later records were cut off; without one, nothing does."""
    reservations: tuple[str, ...] = ()
    """What is not proven about records of older formats, or was noticed before."""
    seq: int | None = None
    problem: str = ""

    def with_end(self, last_at: datetime | None, key: str, reservations: tuple[str, ...]) -> Verification:
        """Return it with when the history ends, who signed that, and what is not proven."""
        return self._with(last_at=last_at, key=key, reservations=reservations)

    @property
    def statement(self) -> str:
        """Return in words what was proven, and what was not."""
        if not self.intact:
            return f"NOT INTACT: {self.problem}"
        if not self.events:
            return "no records"
        signed = f"signed by the key {self.key}" if self.key else "not signed"
        last = f", the last at {self.last_at:%Y-%m-%d %H:%M:%S} UTC" if self.last_at else ""
        words = f"{self.events:,} records{last}, {signed}, {self.checkpoints:,} checkpoints: intact"
        return "; ".join((words, self._cut, *self.reservations))

    @property
    def _cut(self) -> str:
        shown = [f"{mark.name} up to record {mark.records:,}" for mark in self.witnesses]
        by = f"shown by {' and by '.join(shown)}" if shown else "shown by nothing"
        return f"that no later ones were cut off is {by}"
