"""The timeline of an incident: what happened in all of its submissions, on one axis, as sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.common.text import visible
from engine.history.search.facts.event_facts import event_facts
from engine.history.search.timeline import QUIET
from engine.models import Event

_SENTENCES = {
    "submission.created": "submitted code",
    "submission.assessed": "was assessed",
    "claim.created": "claimed it",
    "assignment.made": "assigned it",
    "assignment.removed": "assigned it to nobody",
    "decision.made": "decided",
    "decision.expired": "nobody decided in time",
    "decision.first_approval": "gave the first approval",
    "run.started": "the run started",
    "run.ended": "the run ended",
    "run.stop": "stopped the run",
    "run.kill": "killed the run",
    "run.pause": "paused the run",
    "run.resume": "resumed the run",
    "run.surprise": "the run did what nobody predicted or granted",
    "network.attempt": "the run asked for a host",
    "run.effects": "the run had effects",
    "run.artifact": "the run left a file",
    "note.added": "noted",
    "tag.added": "tagged it",
    "tag.removed": "removed a tag",
    "incident.opened": "opened the incident",
    "incident.added": "added to the incident",
}
_DETAILS = ("outcome", "risk", "reason", "kill_reason", "exit_code", "name", "text", "tag", "value", "to")
LONGEST = 300


def incident_timeline(events: Iterable[Event]) -> str:
    """Return a line for each step, the oldest first: when, of what, who, and what they did."""
    steps = sorted((event for event in events if event.type not in QUIET), key=lambda event: event.seq)
    return "".join(f"{line}\n" for event in steps for line in _lines(event))


def _lines(event: Event) -> Iterator[str]:
    what = _SENTENCES.get(event.type)
    if what is None:
        return
    more = ", ".join(_details(event))
    line = f"{event.at:%Y-%m-%d %H:%M:%S}  {visible(event.subject)}  {visible(event.actor)}: {what}"
    yield f"{line}: {more}"[:LONGEST] if more else line


def _details(event: Event) -> Iterator[str]:
    values = (event.data.get(name) for name in _DETAILS)
    yield from (
        visible(str(value)) for value in values if value != "" and isinstance(value, str | int | float)
    )
    if event.type.startswith(("network.", "run.effects", "run.surprise")):
        facts = event_facts(event.type, event.actor.text, event.at.isoformat(), event.data)
        yield from dict.fromkeys(f"{field} {visible(value)}" for field, value in facts)
