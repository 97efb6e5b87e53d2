"""Events as sentences: what somebody did, or what happened to a submission, and the details that count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.common.text import visible
from engine.history.search.facts.event_facts import event_facts
from engine.models import Event

SENTENCES = {
    "submission.created": "submitted code",
    "submission.analysed": "was analysed",
    "submission.assessed": "was assessed",
    "submission.extended": "gave it more time",
    "submission.revived": "let it wait again",
    "submission.rescanned": "was rescanned",
    "claim.created": "claimed it",
    "claim.released": "released the claim",
    "assignment.made": "assigned it",
    "assignment.removed": "assigned it to nobody",
    "decision.made": "decided",
    "decision.expired": "nobody decided in time",
    "decision.first_approval": "gave the first approval",
    "rehearsal.started": "started a rehearsal",
    "rehearsal.ended": "the rehearsal ended",
    "sandbox.acquired": "got a sandbox",
    "sandbox.destroyed": "the sandbox was destroyed",
    "packages.ready": "its packages were there",
    "run.started": "the run started",
    "run.output": "the run printed",
    "run.ended": "the run ended",
    "run.killed": "the run was killed",
    "run.stop": "stopped the run",
    "run.kill": "killed the run",
    "run.pause": "paused the run",
    "run.resume": "resumed the run",
    "run.refused": "the run was refused",
    "run.surprise": "the run did what nobody predicted or granted",
    "network.attempt": "the run asked for a host",
    "run.effects": "the run had effects",
    "run.artifact": "the run left a file",
    "note.added": "noted",
    "tag.added": "tagged it",
    "tag.removed": "removed a tag",
    "incident.opened": "opened the incident",
    "incident.added": "added to the incident",
    "history.erased": "erased texts",
}
QUIET = frozenset({"run.meters", "history.viewed"})
"""Events that are no steps."""
_DETAILS = ("outcome", "risk", "reason", "kill_reason", "exit_code", "name", "text", "tag", "value", "to")
_OF_FACTS = ("network.", "run.effects", "run.surprise")
OUTPUT = "run.output"


def steps(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events that are steps; of output that comes in a row, the first."""
    before = ""
    for event in events:
        if event.type not in QUIET:
            if not event.type == before == OUTPUT:
                yield event
            before = event.type


def sentence(event: Event) -> str:
    """Return what happened, without who did it and when; every character can be displayed."""
    what = SENTENCES.get(event.type, event.type)
    more = ", ".join(_details(event))
    return f"{what}: {more}" if more else what


def _details(event: Event) -> Iterator[str]:
    values = (event.data.get(name) for name in _DETAILS)
    yield from (
        visible(str(value)) for value in values if value != "" and isinstance(value, str | int | float)
    )
    if event.type == OUTPUT and isinstance(size := event.data.get("size"), int):
        yield f"{size:,} bytes"
    if event.type.startswith(_OF_FACTS):
        facts = event_facts(event.type, event.actor.text, event.at.isoformat(), event.data)
        yield from dict.fromkeys(f"{field} {visible(value)}" for field, value in facts)
