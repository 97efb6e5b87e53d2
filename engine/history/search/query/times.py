"""Moments in a query: `7d`, `yesterday`, `monday`, `2026-11`, `2026-11-21T06:00`, all in UTC."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

_AGO = re.compile(r"(\d{1,6})(s|min|m|h|d|w)")
_STEPS = {"s": "seconds", "m": "minutes", "min": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = re.compile(r"\d{4}-\d{2}")
_HOUR = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}")
_DAY = timedelta(days=1)
_SPANS = {10: _DAY, 13: timedelta(hours=1), 16: timedelta(minutes=1), 19: timedelta(seconds=1)}
"""By the length of a date: `2026-11-21` is a day, `2026-11-21T06` an hour."""
WORDS = ("now", "today", "yesterday", *_WEEKDAYS)


def span(value: str, now: datetime) -> tuple[str, str]:
    """Return the stamps at which a moment begins, and at which it is over.

    Raises:
        ValueError: it is no moment.
    """
    try:
        start, end = _span(value, now.astimezone(UTC))
        return _stamp(start), _stamp(end)
    except OverflowError:
        raise ValueError(value) from None


def _span(value: str, now: datetime) -> tuple[datetime, datetime]:
    word = value.lower()
    if ago := _AGO.fullmatch(word):
        return _instant(now - timedelta(**{_STEPS[ago[2]]: int(ago[1])}))
    if word in WORDS:
        return _named(word, now)
    if _MONTH.fullmatch(value):
        first = datetime.fromisoformat(f"{value}-01").replace(tzinfo=UTC)
        return first, (first + timedelta(days=32)).replace(day=1)
    return _dated(value)


def _named(word: str, now: datetime) -> tuple[datetime, datetime]:
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    days: dict[str, Callable[[], int]] = {"today": lambda: 0, "yesterday": lambda: 1}
    if word == "now":
        return _instant(now)
    back = days[word]() if word in days else (now.weekday() - _WEEKDAYS.index(word)) % 7
    start = today - _DAY * back
    return start, start + _DAY


def _dated(value: str) -> tuple[datetime, datetime]:
    if not value.isascii() or not value[:4].isdigit():
        raise ValueError(value)
    read = datetime.fromisoformat(f"{value}:00" if _HOUR.fullmatch(value) else value)
    moment = read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
    length = _SPANS.get(len(value))
    return (moment, moment + length) if length else _instant(moment)


def _instant(moment: datetime) -> tuple[datetime, datetime]:
    return moment, moment + timedelta(microseconds=1)


def _stamp(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"
