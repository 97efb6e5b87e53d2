"""The facts in the stored state of a case: what was requested, found, predicted, decided and left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.history.search.facts.names import Fact, host, suffix

Json = Mapping[str, Any]
_PREDICTED = {
    "host": "host", "url": "url", "read": "path", "write": "path", "command": "process",
    "environment": "environment", "module": "module", "package": "package",
}  # fmt: skip


def state_facts(state: Json) -> Iterator[Fact]:
    """Yield the facts of a case, from its JSON without contents."""
    draft = _in(state, "submission", "draft")
    yield from _named("purpose", [draft.get("purpose")])
    yield from _named("session", [draft.get("session")])
    yield from _named("revises", [draft.get("revises")])
    yield from _permissions("requested", _in(draft, "permissions"))
    yield from _analysis(_in(state, "analysis"))
    yield from _named("policy", (match.get("rule") for match in _list(state, "assessment", "matches")))
    for decision in (*_list(state, "reviews"), _in(state, "decision")):
        yield from _decision(decision)
    yield from _result(_in(state, "result"))


def code_digest(state: Json) -> str:
    """Return the digest of the code of a case."""
    return str(_in(state, "submission", "draft").get("code", ""))


def _analysis(analysis: Json) -> Iterator[Fact]:
    violations = _list(analysis, "violations")
    yield from _named("verdict", [analysis.get("verdict")])
    for name in ("rule", "category", "severity"):
        yield from _named(name, (violation.get(name) for violation in violations))
    for effect in _list(analysis, "effects"):
        if what := _PREDICTED.get(str(effect.get("kind"))):
            value = str(effect.get("value", ""))
            yield f"predicted.{what}", host(value) if what == "host" else value


def _permissions(origin: str, permissions: Json) -> Iterator[Fact]:
    yield from ((f"{origin}.host", host(str(name))) for name in permissions.get("domains") or ())
    yield from _named(f"{origin}.path", permissions.get("files") or ())
    yield from _named(f"{origin}.secret", permissions.get("secrets") or ())
    yield from _named(f"{origin}.package", (one.get("name") for one in _list(permissions, "packages")))


def _decision(decision: Json) -> Iterator[Fact]:
    if not decision:
        return
    if decision.get("outcome") == "approved":
        yield from _named("approver", [_in(decision, "by").get("name")])
    yield from _named("reason", [decision.get("reason")])
    yield from _named("preapproval", [decision.get("pre_approval")])
    yield from _named("comment", (comment.get("text") for comment in _list(decision, "comments")))
    yield from _permissions("granted", _in(decision, "grant", "permissions"))


def _result(result: Json) -> Iterator[Fact]:
    yield from _named("image", [result.get("image_digest")])
    names = [str(artifact.get("name", "")) for artifact in _list(result, "artifacts")]
    yield from _named("artifact", names)
    yield from _named("artifact.type", map(suffix, names))


def _named(field: str, values: Iterable[object]) -> Iterator[Fact]:
    return ((field, str(value)) for value in values if value)


def _in(json: Json, *names: str) -> Json:
    """Return the object below these names; an empty one where there is none."""
    found: object = json
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _list(json: Json, *names: str) -> Sequence[Json]:
    """Return the objects in the list below these names."""
    found = _in(json, *names[:-1]).get(names[-1])
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
