"""The spans of a submission that is over, from its events. Pure.

An attribute is a number, a truth value or a word of the engine's own: no code, output, name or text of
anybody's is among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engine.models import DecisionOutcome, Event, KillReason

Value = str | int | float | bool
DECISIONS = ("decision.made", "decision.expired")
ROOT = "submission"
_PHASES = (
    ("analysis", ("submission.created",), ("submission.assessed",)),
    ("review", ("submission.assessed",), DECISIONS),
    ("sandbox", DECISIONS, ("run.started", "run.ended")),
    ("run", ("run.started",), ("run.ended",)),
)
"""Name of each span, and the events with which it begins and ends."""
_RESULT = (
    "kill_reason", "exit_code", "cpu_seconds", "memory_peak", "stdout_bytes", "stderr_bytes", "truncated",
)  # fmt: skip
_ATTRIBUTES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    ROOT: {"submission.created": ("language",), "submission.assessed": ("risk",)},
    "analysis": {"submission.analysed": ("complete", "seconds"), "submission.assessed": ("risk",)},
    "review": dict.fromkeys(DECISIONS, ("outcome",)),
    "sandbox": {},
    "run": {"run.ended": _RESULT},
}
"""What each span tells of which event."""


@dataclass(frozen=True)
class TraceSpan:
    """A span of a trace."""

    name: str
    start: datetime
    end: datetime
    attributes: Mapping[str, Value] = field(default_factory=dict)
    failed: bool = False
    moments: tuple[tuple[str, datetime], ...] = ()
    """What happened within it, and when."""


def is_end(event: Event) -> bool:
    """Return whether a submission is over with this event."""
    decided = event.type in DECISIONS and event.data.get("outcome") != DecisionOutcome.APPROVED
    return decided or event.type == "run.ended"


def spans_of(trail: Sequence[Event]) -> tuple[TraceSpan, ...]:
    """Return the spans of a submission that is over, the whole of it first; none without its begin."""
    first = {event.type: event for event in reversed(trail)}
    if "submission.created" not in first:
        return ()
    phases = [span for phase in _PHASES if (span := _phase(first, *phase))]
    start, end = first["submission.created"].at, trail[-1].at
    failed = any(span.failed for span in phases)
    return (TraceSpan(ROOT, start, end, _attributes(ROOT, first), failed), *phases)


def _phase(
    first: Mapping[str, Event], name: str, begins: Iterable[str], ends: Iterable[str]
) -> TraceSpan | None:
    begin = next((first[kind] for kind in begins if kind in first), None)
    end = next((first[kind] for kind in ends if kind in first), None)
    if begin is None or end is None:
        return None
    return TraceSpan(
        name, begin.at, end.at, _attributes(name, first), _failed(name, end), _moments(name, begin, end)
    )


def _attributes(name: str, first: Mapping[str, Event]) -> dict[str, Value]:
    return {
        f"pratique.{key}": first[kind].data[key]
        for kind, keys in _ATTRIBUTES[name].items()
        if kind in first
        for key in keys
        if first[kind].data.get(key) is not None
    }


def _failed(name: str, end: Event) -> bool:
    """Return whether a run was ended or exited with an error."""
    if name != "run":
        return False
    return end.data["kill_reason"] != KillReason.NONE or bool(end.data["exit_code"])


def _moments(name: str, begin: Event, end: Event) -> tuple[tuple[str, datetime], ...]:
    seconds = end.data.get("first_byte") if name == "run" else None
    return (("first output", begin.at + timedelta(seconds=seconds)),) if seconds is not None else ()
