"""Which receiver is told about what, and when. Pure."""

from __future__ import annotations

from datetime import datetime, time
from fnmatch import fnmatchcase

from engine.models import Case, Event, Level, Status
from engine.notifications.notice import ALERTS, severity_of
from engine.notifications.settings import NoticeKind, ReceiverSettings


def is_quiet(receiver: ReceiverSettings, now: time) -> bool:
    """Return whether a receiver is to be left alone at a time of day. The end belongs to the day."""
    begin, end = receiver.quiet_from, receiver.quiet_until
    if begin is None or end is None:
        return False
    return begin <= now < end if begin <= end else now >= begin or now < end


def passes(receiver: ReceiverSettings, risk: Level, now: time) -> bool:
    """Return whether a risk is told about at a time of day."""
    enough = risk.rank >= receiver.risk.rank
    return enough and (risk.rank >= receiver.urgent.rank or not is_quiet(receiver, now))


def due(receiver: ReceiverSettings, kind: NoticeKind, case: Case, now: datetime) -> bool:
    """Return whether a submission is to be told about as waiting or expiring; `now` is in local time."""
    if kind not in receiver.events or case.status is not Status.PENDING or not _is_of(receiver, case):
        return False
    if not passes(receiver, case.assessment.risk, now.time()):
        return False
    if kind is NoticeKind.WAITING:
        return (now - case.submission.submitted_at).total_seconds() >= receiver.after_seconds
    return _expires(receiver, case, now)


def _expires(receiver: ReceiverSettings, case: Case, now: datetime) -> bool:
    """Return whether the deadline is near: never in the first half of the time that there is."""
    if case.deadline is None:
        return False
    whole = (case.deadline - case.submission.submitted_at).total_seconds()
    return (case.deadline - now).total_seconds() <= min(receiver.expiring_seconds, whole / 2)


def told_of(receiver: ReceiverSettings, event: Event, now: time) -> NoticeKind | None:
    """Return as what an event is told, or None."""
    if event.type == "run.surprise" and NoticeKind.SURPRISE in receiver.events:
        return NoticeKind.SURPRISE if passes(receiver, severity_of(event), now) else None
    if event.type in ALERTS and NoticeKind.ALERT in receiver.events:
        return NoticeKind.ALERT
    return None


def _is_of(receiver: ReceiverSettings, case: Case) -> bool:
    name = case.submission.requester.name.text
    return any(fnmatchcase(name, pattern) for pattern in receiver.agents)
