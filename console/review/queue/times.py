"""The age of submissions, and the time that is left to decide."""

from __future__ import annotations

from console.safety.text import Part
from console.widgets.formatting import bar, brief, clock, now
from engine.models import Summary

FULL_SECONDS = 120.0
"""The full length of the bar where the length of a deadline is not known."""


def short_time_left(summary: Summary) -> str:
    """Return the time that is left in a few characters: `42s`, `12:30`."""
    left = seconds_left(summary)
    return "" if left is None else brief(left)


def age(summary: Summary) -> str:
    """Return how long ago it was submitted: `42s`, `12m`, `3h`, `4d`."""
    seconds = max(0, int((now() - summary.submitted_at).total_seconds()))
    steps = ((86_400, "d"), (3600, "h"), (60, "m"))
    return next((f"{seconds // size}{unit}" for size, unit in steps if seconds >= size), f"{seconds}s")


def seconds_left(summary: Summary) -> float | None:
    """Return the seconds until the submission expires; None without a deadline."""
    return (summary.deadline - now()).total_seconds() if summary.deadline else None


def is_overdue(summary: Summary) -> bool:
    """Say whether the deadline of a submission is over."""
    left = seconds_left(summary)
    return left is not None and left <= 0


def time_left(summary: Summary) -> str:
    """Return the time that is left, as a clock."""
    left = seconds_left(summary)
    return "" if left is None else clock(left)


def time_bar(summary: Summary, cells: int) -> list[Part]:
    """Return a bar that shrinks to the deadline."""
    left = seconds_left(summary)
    if left is None or summary.deadline is None or cells < 3:
        return []
    whole = (summary.deadline - summary.submitted_at).total_seconds() or FULL_SECONDS
    return [*bar(max(0.0, left / whole), cells, time_style(summary))]


def time_style(summary: Summary) -> str:
    """Return the style of the time that is left: the less, the louder."""
    left = seconds_left(summary)
    if left is None or summary.deadline is None:
        return "muted"
    whole = (summary.deadline - summary.submitted_at).total_seconds() or FULL_SECONDS
    return "success" if left > whole / 2 else "warning" if left > whole / 5 else "bold error"
