"""The facts in the events of a submission: who claimed it, and what its run really did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.history.search.facts.names import Fact, host
from engine.models import Level
from engine.models.rescan import RescanOutcome

Json = Mapping[str, Any]
_OBSERVED = {
    "process": "process", "read": "path", "write": "path", "delete": "path", "rename": "path", "link": "path",
    "folder": "path", "attributes": "path",
}  # fmt: skip


def event_facts(type: str, actor: str, at: str, data: Json) -> Iterator[Fact]:
    """Yield the facts in one event; none for a type that has none."""
    if type == "claim.created":
        yield "claimed", actor
    elif type in {"run.stop", "run.kill", "run.pause"}:
        yield "stopped", actor
    elif type in {"decision.made", "decision.expired"}:
        yield "decided", at
    elif reader := _READERS.get(type):
        yield from reader(data)


def removed_facts(type: str, data: Json) -> Iterator[Fact]:
    """Yield the facts that an event takes back."""
    if type == "tag.removed":
        yield "tag", str(data.get("tag", ""))
    elif type == "submission.rescanned":  # the newest rescan counts
        yield from (("rescan", one) for one in RescanOutcome)
        yield from (("rescan.risk", one) for one in Level)


def _notes(data: Json) -> Iterator[Fact]:
    return iter((("note", str(data.get("text", ""))),))


def _tags(data: Json) -> Iterator[Fact]:
    return iter((("tag", str(data.get("tag", ""))),))


def _erased(data: Json) -> Iterator[Fact]:
    return iter((("erased", str(data.get("scope", ""))),))


def _rescanned(data: Json) -> Iterator[Fact]:
    if (outcome := str(data.get("outcome", ""))) != RescanOutcome.SAME:
        yield "rescan", outcome
        yield "rescan.risk", str(data.get("risk", ""))
        yield "rescan.id", str(data.get("rescan", ""))
        yield from (("rescan.rule", str(rule)) for rule in data.get("rules") or ())


def _effects(data: Json) -> Iterator[Fact]:
    for effect in _objects(data, "effects"):
        if effect.get("routine"):
            continue
        kind, target = str(effect.get("kind", "")), str(effect.get("target") or "")
        yield "observed.kind", kind
        if target and kind in _OBSERVED:
            yield f"observed.{_OBSERVED[kind]}", target
        elif target and kind in {"connect", "send"}:
            yield "observed.host", host(target)
        if process := effect.get("process"):
            yield "observed.process", str(process)


def _network(data: Json) -> Iterator[Fact]:
    name = host(str(data.get("host", "")))
    yield "observed.host", name
    yield "used.host" if data.get("allowed") else "refused.host", name


def _surprises(data: Json) -> Iterator[Fact]:
    for surprise in _objects(data, "surprises"):
        yield "surprise.kind", str(surprise.get("kind", ""))
        yield "surprise", str(surprise.get("value", ""))
        yield "surprise.severity", str(surprise.get("severity") or "")


def _observation(data: Json) -> Iterator[Fact]:
    if state := data.get("state"):
        yield "observation", str(state)


def _packages(data: Json) -> Iterator[Fact]:
    return (("observed.package", str(name).partition("==")[0]) for name in data.get("packages") or ())


def _artifact(data: Json) -> Iterator[Fact]:
    return iter((("artifact.digest", str(data.get("digest", ""))),))


def _objects(data: Json, name: str) -> Iterator[Json]:
    listed = data.get(name)
    return (one for one in listed if isinstance(one, Mapping)) if isinstance(listed, list) else iter(())


_READERS: dict[str, Callable[[Json], Iterator[Fact]]] = {
    "run.effects": _effects,
    "network.attempt": _network,
    "run.observed": _observation,
    "run.surprise": _surprises,
    "packages.ready": _packages,
    "run.artifact": _artifact,
    "note.added": _notes,
    "tag.added": _tags,
    "submission.rescanned": _rescanned,
    "history.erased": _erased,
}
TYPES = (
    "claim.created", "run.stop", "run.kill", "run.pause", "decision.made", "decision.expired", "tag.removed",
    *_READERS,
)  # fmt: skip
"""Types of events that have facts."""
