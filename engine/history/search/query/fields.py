"""The fields of the query language: everything that is recorded about a submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from engine.models import DecisionOutcome, KillReason, Language, Level, Status, Verdict
from engine.models.observed import ObservedKind
from engine.models.rescan import RescanOutcome


class FieldKind(Enum):
    """How the values of a field are compared."""

    CHOICE = auto()
    """One of a few fixed words."""
    NAME = auto()
    """The whole name; `*` stands for any rest."""
    PHRASE = auto()
    """Anywhere in the text, in upper or lower case."""
    NUMBER = auto()
    TIME = auto()
    TEXT = auto()
    """Whole words, by the index of texts."""
    LIKE = auto()
    """The ID of a submission whose code is alike."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field: `facts` are the recorded facts it looks at; none for a column or a text."""

    kind: FieldKind
    about: str
    facts: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    units: Mapping[str, float] = field(default_factory=dict)


_SECONDS = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_BYTES = {"": 1.0, "b": 1.0, "kb": 1024.0, "mb": 1024.0**2, "gb": 1024.0**3}
_PLAIN = {"": 1.0}
_LEVELS = tuple(Level)
_OBSERVED = ("complete", "incomplete", "none")


def _choice(about: str, choices: tuple[str, ...], *facts: str) -> Field:
    return Field(FieldKind.CHOICE, about, facts, choices)


def _name(about: str, *facts: str) -> Field:
    return Field(FieldKind.NAME, about, facts)


def _phrase(about: str, *facts: str) -> Field:
    return Field(FieldKind.PHRASE, about, facts)


def _number(about: str, units: Mapping[str, float]) -> Field:
    return Field(FieldKind.NUMBER, about, units=units)


def _by_origin(what: str, *origins: str) -> dict[str, Field]:
    """Return a field for each origin of an effect, and one for all of them: `observed.host`, `host`."""
    facts = tuple(f"{origin}.{what}" for origin in origins)
    each = {fact: _name(f"{what}: {fact.partition('.')[0]}", fact) for fact in facts}
    return {what: _name(f"{what}: {', '.join(origins)}", *facts), **each}


FIELDS: dict[str, Field] = {
    "risk": _choice("its risk", _LEVELS),
    "status": _choice("its status", tuple(Status)),
    "decision": _choice("its decision", tuple(DecisionOutcome)),
    "kill": _choice("why its run ended early", tuple(KillReason)),
    "lang": _choice("its language", tuple(Language)),
    "verdict": _choice("what the analysis says as a whole", tuple(Verdict), "verdict"),
    "severity": _choice("the severity of a violation", _LEVELS, "severity"),
    "requester": _name("who submitted it"),
    "reviewer": _name("who decided"),
    "approver": _name("everybody who approved it", "approver"),
    "claimed": _name("who claimed it", "claimed"),
    "id": _name("its ID"),
    "digest": _name("its digest"),
    "purpose": _phrase("what the agent says it is for", "purpose"),
    "reason": _phrase("the reason of a decision", "reason"),
    "comment": _phrase("a reviewer's comment on a line", "comment"),
    "rule": _name("a rule of the analysis that found something", "rule"),
    "category": _name("the category of a violation", "category"),
    "policy": _name("a policy rule that matched", "policy"),
    **_by_origin("host", "requested", "granted", "predicted", "observed", "used", "refused"),
    **_by_origin("path", "requested", "granted", "predicted", "observed"),
    **_by_origin("process", "predicted", "observed"),
    **_by_origin("environment", "predicted", "observed"),
    **_by_origin("package", "requested", "granted", "predicted", "observed"),
    **_by_origin("secret", "requested", "granted"),
    "module": _name("a module that it is predicted to load", "predicted.module"),
    "effect": _choice("a kind of observed effect", tuple(ObservedKind), "observed.kind"),
    "observed": _choice("whether its observed effects are all", _OBSERVED, "observation"),
    "surprise": _name("an effect not predicted or not granted", "surprise", "surprise.kind"),
    "surprise.severity": _choice("how grave a surprise was", _LEVELS, "surprise.severity"),
    "artifact": _name("the name of a file that the run left", "artifact"),
    "artifact.type": _name("the ending of its name, such as csv", "artifact.type"),
    "note": _phrase("a responder's note", "note"),
    "tag": _name("a responder's tag", "tag"),
    "erased": _choice("what was erased on request or by a rule", ("everything", "words"), "erased"),
    "rescan": _choice("what the last rescan found", tuple(RescanOutcome)[:-1], "rescan"),
    "rescan.risk": _choice("its risk by the last rescan", _LEVELS, "rescan.risk"),
    "rescan.rule": _name("a rule that only a rescan found", "rescan.rule"),
    "rescan.id": _name("a rescan that found something else", "rescan.id"),
    "session": _name("the session that it ran in", "session"),
    "revises": _name("the submission that it revises", "revises"),
    "preapproval": _name("the pre-approval that approved it", "preapproval"),
    "image": _name("the image that it ran in", "image"),
    "stopped": _name("who stopped, killed or paused its run", "stopped"),
    "duration": _number("how long it ran", _SECONDS),
    "waited": _number("how long it waited for its decision", _SECONDS),
    "memory": _number("its peak memory", _BYTES),
    "lines": _number("lines of code", _PLAIN),
    "violations": _number("how many violations", _PLAIN),
    "exit": _number("its exit code", _PLAIN),
    "submitted": Field(FieldKind.TIME, "when it was submitted"),
    "decided": Field(FieldKind.TIME, "when it was decided", ("decided",)),
    "since": Field(FieldKind.TIME, "submitted at that time or later"),
    "until": Field(FieldKind.TIME, "submitted before that time"),
    "text": Field(FieldKind.TEXT, "words in code, files or output"),
    "code": Field(FieldKind.TEXT, "words in the code"),
    "output": Field(FieldKind.TEXT, "words in output, files and artifacts"),
    "like": Field(FieldKind.LIKE, "code like that of this submission"),
}
"""By name, in the order in which they are offered."""

ALIASES = {
    "agent": "requester", "language": "lang", "by": "reviewer", "asked.host": "requested.host",
    "env": "environment", "file": "path", "wants": "requested.host", "killed": "kill",
}  # fmt: skip
"""Other names of fields."""
VALUE_ALIASES = {"py": "python", "js": "javascript", "sh": "shell"}
HOSTS = frozenset(fact for name in FIELDS if name.endswith("host") for fact in FIELDS[name].facts)
"""Facts that are names of hosts: in lower case."""
