"""Events in the Open Cybersecurity Schema Framework (version 1.3.0), as SIEMs take them in.

What a run does is Process Activity (1007), what an analysis finds is a Detection Finding (2004), what the
engine does with itself is Application Lifecycle (6002), and what people do is API Activity (6003).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from engine.common.text import mark_hidden
from engine.models import Event, Level

SCHEMA = "1.3.0"
OTHER = 99
SEVERITIES = {Level.LOW: 2, Level.MEDIUM: 3, Level.HIGH: 4, Level.CRITICAL: 5}
INFORMATIONAL = 1


@dataclass(frozen=True, slots=True)
class Class:
    """An event class: its number, its category's, and what it calls what was done."""

    uid: int
    name: str
    category: int
    category_name: str
    activities: dict[str, int]
    """Activity by event type; others are 99."""


PROCESS = Class(
    1007, "Process Activity", 1, "System Activity", {"run.started": 1, "run.ended": 2, "run.killed": 2}
)
FINDING = Class(2004, "Detection Finding", 2, "Findings", {"submission.assessed": 1, "run.surprise": 1})
LIFECYCLE = Class(
    6002, "Application Lifecycle", 6, "Application Activity", {"engine.started": 3, "engine.stopped": 4}
)
API = Class(
    6003,
    "API Activity",
    6,
    "Application Activity",
    {
        "submission.created": 1,
        "history.viewed": 2,
        "history.exported": 2,
        "history.verified": 2,
        "decision.made": 3,
        "decision.expired": 3,
        "history.erased": 4,
    },
)


def records(events: Iterable[Event]) -> Iterator[dict[str, Any]]:
    """Yield the OCSF record of each event."""
    for event in events:
        yield record(event)


def record(event: Event) -> dict[str, Any]:
    """Return the OCSF record of an event; the whole event is in `unmapped`, its chain hash included."""
    kind = _class(event.type)
    activity = kind.activities.get(event.type, OTHER)
    return {
        "activity_id": activity,
        "activity_name": event.type,
        "category_uid": kind.category,
        "category_name": kind.category_name,
        "class_uid": kind.uid,
        "class_name": kind.name,
        "type_uid": kind.uid * 100 + activity,
        "severity_id": _severity(event),
        "status_id": 1,
        "time": int(event.at.timestamp() * 1000),
        "message": f"{event.type} {mark_hidden(event.subject)}".strip(),
        "metadata": {
            "version": SCHEMA,
            "uid": event.hash,
            "sequence": event.seq,
            "log_name": "pratique",
            "product": {"name": "Pratique", "vendor_name": "Pratique", "version": version("pratique")},
        },
        **_objects(event, kind),
        "unmapped": {"data": event.data, "previous": event.previous, "hash": event.hash},
    }


def _class(type_: str) -> Class:
    if type_ in FINDING.activities:
        return FINDING
    if type_.startswith(("run.", "sandbox.", "session.", "network.", "packages.")):
        return PROCESS
    if type_.startswith("engine."):
        return LIFECYCLE
    return API


def _objects(event: Event, kind: Class) -> dict[str, Any]:
    actor = {"user": {"name": mark_hidden(event.actor)}}
    if kind is PROCESS:
        device = {"type_id": 6, "type": "Virtual", "uid": str(event.data.get("sandbox", event.subject))}
        return {"actor": actor, "device": device, "process": {"uid": event.subject, "name": event.subject}}
    if event.type == "run.surprise":
        return _surprises(event)
    if kind is FINDING:
        rules = [str(rule) for rule in event.data.get("rules", ())]
        return {
            "finding_info": {"uid": event.subject, "title": f"submission {event.subject}", "types": rules}
        }
    if kind is LIFECYCLE:
        return {"app": {"name": "Pratique", "vendor_name": "Pratique"}}
    resource = {"uid": event.subject, "type": "submission"}
    return {
        "actor": actor,
        "api": {"operation": event.type},
        "src_endpoint": {"name": "pratique"},
        "resources": [resource] if event.subject else [],
    }


def _surprises(event: Event) -> dict[str, Any]:
    """Return what a run did that was not predicted or not granted, as one finding with its evidence."""
    found = event.data["surprises"]
    evidences = [
        {"data": {key: mark_hidden(str(one[key])) for key in ("kind", "value", "relation", "reason")}}
        for one in found
    ]
    kinds = sorted({str(one["kind"]) for one in found})
    title = f"run {event.subject} did what was not predicted or not granted"
    return {
        "finding_info": {
            "uid": event.hash,
            "title": title,
            "types": kinds,
            "desc": f"the policy says: {event.data['action']}",
        },
        "evidences": evidences,
    }


def _severity(event: Event) -> int:
    if event.type == "run.surprise":
        levels = {one["severity"] for one in event.data["surprises"]} & set(Level)
        return max((SEVERITIES[Level(str(one))] for one in levels), default=SEVERITIES[Level.MEDIUM])
    risk = event.data.get("risk")
    if event.type == "submission.assessed" and risk in set(Level):
        return SEVERITIES[Level(str(risk))]
    return SEVERITIES[Level.MEDIUM] if event.type == "run.killed" else INFORMATIONAL
