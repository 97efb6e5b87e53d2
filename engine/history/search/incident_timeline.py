"""The timeline of an incident: what happened in all of its submissions, on one axis, as sentences."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from engine.common.text import visible
from engine.history.search.sentences import SENTENCES, sentence, steps
from engine.models import Event

LONGEST = 300


def incident_timeline(events: Iterable[Event]) -> str:
    """Return a line for each step, the oldest first: when, of what, who, and what they did."""
    by_subject = defaultdict[str, list[Event]](list)
    for event in sorted(events, key=lambda event: event.seq):
        by_subject[event.subject].append(event)
    shown = [event for some in by_subject.values() for event in steps(some) if event.type in SENTENCES]
    return "".join(f"{_line(event)}\n" for event in sorted(shown, key=lambda event: event.seq))


def _line(event: Event) -> str:
    line = f"{event.at:%Y-%m-%d %H:%M:%S}  {visible(event.subject)}  {visible(event.actor)}"
    return f"{line}: {sentence(event)}"[:LONGEST]
