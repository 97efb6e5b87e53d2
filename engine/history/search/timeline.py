"""The timeline of a submission: each step, its actor and its duration."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from engine.common.text import Untrusted
from engine.models import Event, FrozenModel

QUIET = frozenset({"run.meters", "run.output", "history.viewed"})
"""Events that are no steps."""


class Step(FrozenModel):
    """One step, and the time since the step before and since the first."""

    seq: int
    type: str
    actor: Untrusted
    at: datetime
    took: timedelta
    since_start: timedelta


def timeline(events: Sequence[Event]) -> tuple[Step, ...]:
    """Return the steps of one submission, the oldest first."""
    steps = [event for event in events if event.type not in QUIET]
    befores = [*steps[:1], *steps]
    return tuple(
        Step(
            seq=event.seq,
            type=event.type,
            actor=event.actor,
            at=event.at,
            took=event.at - before.at,
            since_start=event.at - steps[0].at,
        )
        for before, event in zip(befores, steps, strict=False)
    )
