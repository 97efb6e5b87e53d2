"""Events as sentences: what somebody did, or what happened to a submission, and the details that count."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from engine.common.text import visible
from engine.models import Event

Json = Mapping[str, Any]
SENTENCES = {
    "submission.created": "submitted code",
    "submission.joined": "the same request came again",
    "submission.throttled": "was told to wait",
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
    "drill.ended": "it was a drill, and has ended",
    "pre_approval.used": "a pre-approval approved it",
    "rehearsal.started": "started a rehearsal",
    "rehearsal.ended": "the rehearsal ended",
    "run.queued": "waited for a sandbox",
    "sandbox.created": "a sandbox was created",
    "sandbox.acquired": "got a sandbox",
    "sandbox.destroyed": "the sandbox was destroyed",
    "session.created": "a session was created",
    "session.restarted": "the session was restarted",
    "session.closed": "the session was closed",
    "packages.ready": "its packages were there",
    "run.started": "the run started",
    "run.output": "the run printed",
    "run.output_truncated": "the run printed more than its limit: the rest was dropped",
    "run.display": "the run displayed something",
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
    "run.observed": "all effects were recorded",
    "run.snapshot": "what the paused run was doing was recorded",
    "preview.opened": "opened a preview",
    "preview.closed": "the preview was closed",
    "run.artifact": "the run left a file",
    "note.added": "noted",
    "tag.added": "tagged it",
    "tag.removed": "removed a tag",
    "incident.opened": "opened the incident",
    "incident.added": "added to the incident",
    "incident.sealed": "sealed the incident",
    "history.exported": "exported it",
    "history.erased": "erased texts",
}
QUIET = frozenset({"run.meters", "run.lines", "history.viewed"})
"""Events that are no steps."""
_DETAILS = (
    "outcome", "risk", "reason", "kill_reason", "exit_code", "name", "text", "tag", "value", "to", "state",
    "engine",
)  # fmt: skip
LISTED = 5
"""So many effects or surprises are named."""
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
    if reader := _READERS.get(event.type):
        yield from _first(map(visible, dict.fromkeys(reader(event.data))))


def _first(found: Iterable[str]) -> Iterator[str]:
    listed = list(found)
    yield from islice(listed, LISTED)
    if len(listed) > LISTED:
        yield f"and {len(listed) - LISTED} more"


def _attempt(data: Json) -> Iterator[str]:
    yield str(data.get("host", ""))
    yield "allowed" if data.get("allowed") else "refused"


def _effects(data: Json) -> Iterator[str]:
    for effect in _objects(data, "effects"):
        if not effect.get("routine"):
            yield f"{effect.get('kind', '')} {effect.get('target') or ''}".strip()


def _surprises(data: Json) -> Iterator[str]:
    for surprise in _objects(data, "surprises"):
        yield f"{surprise.get('kind', '')} {surprise.get('value', '')}".strip()


def _objects(data: Json, name: str) -> Iterator[Json]:
    listed = data.get(name)
    return (one for one in listed if isinstance(one, Mapping)) if isinstance(listed, list) else iter(())


_READERS: Mapping[str, Callable[[Json], Iterator[str]]] = {
    "network.attempt": _attempt,
    "run.effects": _effects,
    "run.surprise": _surprises,
}
