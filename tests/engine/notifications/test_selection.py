"""Who is told what, and when."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from engine.models import Event, Level
from engine.notifications.selection import is_quiet, passes, told_of
from engine.notifications.settings import NoticeKind, NotificationSettings, Receiver, ReceiverSettings

TIMES = st.times()


def receiver(**changes: object) -> ReceiverSettings:
    """Return the settings of a receiver."""
    return ReceiverSettings.model_validate({"name": "r", **changes})


@given(TIMES, TIMES, TIMES)
def test_quiet_hours_and_the_others_are_a_day(begin: time, end: time, now: time) -> None:
    """A time is in the quiet hours from one time to another, or in those from the other to the one."""
    quiet = receiver(quiet_from=begin, quiet_until=end)
    rest = receiver(quiet_from=end, quiet_until=begin)
    if begin != end:
        assert is_quiet(quiet, now) != is_quiet(rest, now)


@pytest.mark.parametrize(
    ("now", "quiet"), [("21:59", False), ("22:00", True), ("03:00", True), ("07:00", False)]
)
def test_quiet_hours_go_past_midnight(now: str, quiet: bool) -> None:
    """The beginning belongs to them, the end does not."""
    assert quiet == is_quiet(receiver(quiet_from="22:00", quiet_until="07:00"), time.fromisoformat(now))


def test_what_is_urgent_is_told_in_quiet_hours() -> None:
    """And what is below the receiver's risk never is."""
    night = receiver(quiet_from="00:00", quiet_until="23:59", urgent="high", risk="medium")
    assert [False, False, True, True] == [passes(night, level, time(3)) for level in Level]


def event(type: str, **data: object) -> Event:
    """Return an event."""
    at = datetime.now(UTC) - timedelta(seconds=1)
    return Event.model_validate(
        {
            "seq": 1,
            "at": at,
            "type": type,
            "subject": "s-1",
            "actor": "x",
            "data": data,
            "previous": "0" * 64,
            "hash": "0" * 64,
        }
    )


def test_surprises_and_alerts_are_told_to_who_wants_them() -> None:
    """A surprise counts by its gravest severity; one without any is HIGH."""
    grave = event("run.surprise", surprises=[{"severity": "low"}, {"severity": "critical"}])
    assert NoticeKind.SURPRISE is told_of(receiver(risk="critical"), grave, time(12))
    assert told_of(receiver(risk="critical"), event("run.surprise"), time(12)) is None
    assert NoticeKind.ALERT is told_of(receiver(), event("history.contradicted"), time(12))
    assert told_of(receiver(events=["waiting"]), event("history.contradicted"), time(12)) is None
    assert told_of(receiver(), event("run.started"), time(12)) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "r", "kind": "pigeon"},
        {"name": "r", "kind": "webhook", "url": "file:///etc/passwd"},
        {"name": "r", "kind": "webhook", "url": "http://user:word@host/"},
        {"name": "r", "kind": "webhook", "url": "http://host/\r\nx: y"},
        {"name": "../r", "kind": "desktop"},
        {"name": "r", "kind": "desktop", "quiet_from": "22:00"},
        {"name": "r", "kind": "desktop", "colour": "red"},
        {"name": "r", "kind": "command", "command": []},
        {"name": "r", "kind": "email", "host": "h", "sender": "a@b\nBcc: c@d", "to": ["a@b"]},
    ],
    ids=str,
)
def test_wrong_settings_are_an_error(wrong: dict[str, object]) -> None:
    """The engine does not start with a receiver that it would not reach."""
    with pytest.raises(ValidationError):
        TypeAdapter[Receiver](Receiver).validate_python(wrong)


def test_a_name_is_used_once() -> None:
    """It names the receiver in Health and in the history."""
    with pytest.raises(ValidationError, match="same name"):
        NotificationSettings.model_validate({"receivers": [{"name": "r", "kind": "desktop"}] * 2})
