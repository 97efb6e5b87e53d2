"""What leads on from a case: a query for each of its values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from engine.history.search.facts.event_facts import event_facts
from engine.history.search.query.complete import quoted
from engine.models import Case, Event, Trends

MOST = 200
"""So many pivots are offered."""
HOURS = 24
"""So many hours with kills are offered."""
_OF_EVENTS = {
    "observed.host": "Everything that contacted {}",
    "observed.path": "Everything that touched {}",
    "observed.process": "Everything that ran {}",
    "surprise": "Everything surprised by {}",
}
_HOUR = timedelta(hours=1)


class Pivot(NamedTuple):
    """A question that a case raises, and the query that answers it."""

    words: str
    query: str


def pivots(case: Case, events: Iterable[Event]) -> tuple[Pivot, ...]:
    """Return what leads on from a case: who, what, where to, and what is alike. Text of agents is raw."""
    found = dict.fromkeys((*_of_case(case), *_of_decision(case), *_of_events(events)))
    return tuple(found)[:MOST]


def behind_figures(trends: Trends, days: int) -> tuple[Pivot, ...]:
    """Return the queries for what is behind the figures of the last days."""
    since = f"since:{days}d"
    reasons = sorted({reason for hour in trends.kills_by_hour.values() for reason in hour})
    return (
        *(Pivot(f"Killed: {reason}", f"kill:{reason} {since}") for reason in reasons),
        *_kills_of_hours(trends),
        Pivot("Expired", f"decision:expired {since}"),
        Pivot("Approved in less than 3 seconds", f"decision:approved waited:<3s {since}"),
        *(Pivot(f"Decided, {risk}", f"risk:{risk} reviewer:* {since}") for risk in trends.decision_seconds),
        *(Pivot(f"Submitted by {name}", f"agent:{quoted(name)} {since}") for name in trends.busiest),
    )


def _kills_of_hours(trends: Trends) -> Iterator[Pivot]:
    """Yield the kills of each hour that had some, the latest first."""
    for hour, counts in sorted(trends.kills_by_hour.items(), reverse=True)[:HOURS]:
        query = f"kill:{','.join(sorted(counts))} submitted:{hour}:00:00Z..{hour}:59:59Z"
        yield Pivot(f"Killed at {hour.replace('T', ' ')} h", query)


def _of_case(case: Case) -> Iterator[Pivot]:
    submission, draft = case.submission, case.submission.draft
    agent, at = submission.requester.name.text, submission.submitted_at
    yield Pivot(f"Everything that {agent} submitted", f"agent:{quoted(agent)}")
    hour = f"submitted:{_moment(at - _HOUR)}..{_moment(at)}"
    yield Pivot(f"Everything that {agent} submitted in the hour before", f"agent:{quoted(agent)} {hour}")
    yield Pivot("Everything with code like this", f"like:{submission.id}")
    if draft.session:
        yield Pivot(f"Everything in the session {draft.session}", f"session:{quoted(draft.session)}")
    if draft.revises:
        yield Pivot("What it revises", f"id:{quoted(draft.revises)}")
    yield from _named("secret", (secret.text for secret in draft.permissions.secrets))
    yield from _named("package", (package.name.text for package in draft.permissions.packages))
    rules = dict.fromkeys(violation.rule for violation in case.analysis.violations)
    yield from (Pivot(f"Everything that the rule {rule} found", f"rule:{quoted(rule)}") for rule in rules)


def _named(field: str, names: Iterable[str]) -> Iterator[Pivot]:
    return (Pivot(f"Everything with the {field} {name}", f"{field}:{quoted(name)}") for name in names)


def _of_decision(case: Case) -> Iterator[Pivot]:
    if case.decision is None:
        return
    by = case.decision.by.name.text
    yield Pivot(f"Everything that {by} decided", f"reviewer:{quoted(by)}")
    if case.decision.pre_approval:
        query = f"preapproval:{quoted(case.decision.pre_approval)}"
        yield Pivot("Everything under the same pre-approval", query)


def _of_events(events: Iterable[Event]) -> Iterator[Pivot]:
    for event in events:
        stamp = event.at.isoformat()
        for field, value in event_facts(event.type, event.actor.text, stamp, event.data):
            if words := _OF_EVENTS.get(field):
                yield Pivot(words.format(value), f"{field}:{quoted(value)}")


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")
