"""The timeline of a submission: each step, its actor and its duration."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine.common.text import Untrusted
from engine.history.search.sentences import sentence, steps
from engine.models import Event, FrozenModel


class Step(FrozenModel):
    """One step, and the time since the step before and since the first."""

    seq: int
    type: str
    actor: Untrusted
    sentence: str
    """What happened, in words that can be displayed."""
    at: datetime
    took: timedelta
    since_start: timedelta


def timeline(events: Sequence[Event]) -> tuple[Step, ...]:
    """Return the steps of one submission, the oldest first."""
    listed = list(steps(events))
    befores = [*listed[:1], *listed]
    return tuple(
        Step(
            seq=event.seq,
            type=event.type,
            actor=event.actor,
            sentence=sentence(event),
            at=event.at,
            took=event.at - before.at,
            since_start=event.at - listed[0].at,
        )
        for before, event in zip(befores, listed, strict=False)
    )
