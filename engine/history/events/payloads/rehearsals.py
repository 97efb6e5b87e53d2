"""Payloads of events about rehearsals."""

from __future__ import annotations

from typing import Literal

from engine.history.events.payloads.base import EventPayload
from engine.models.rehearsal import Rehearsal


class RehearsalStartedPayload(EventPayload):
    """Somebody rehearses a submission: nothing is granted, and it is not the run."""

    type: Literal["rehearsal.started"]
    image: str
    withheld: bool
    shortened_seconds: float = 0.0


class RehearsalEndedPayload(EventPayload):
    """A rehearsal ended, with what it found."""

    type: Literal["rehearsal.ended"]
    rehearsal: Rehearsal
