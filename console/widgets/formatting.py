"""Formats sizes, durations, times and risk levels."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.models import Level

SHAPES = {Level.LOW: "○", Level.MEDIUM: "◇", Level.HIGH: "▲", Level.CRITICAL: "◆"}
"""A shape for every level, so that colour is never the only sign."""


def badge(level: Level) -> tuple[str, str]:
    """Return a level as letter and shape, and its style."""
    return f"{SHAPES[level]} {level.value[0].upper()}", f"bold risk-{level.value}"


def full_badge(level: Level) -> tuple[str, str]:
    """Return a level as shape and word, and its style."""
    return f"{SHAPES[level]} {level.value.upper()}", f"bold risk-{level.value}"


def size(amount: int | None) -> str:
    """Return bytes as `512 B`, `1.5 KiB`, `34 MiB`."""
    if amount is None:
        return "–"
    value, units = float(amount), ["B", "KiB", "MiB", "GiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        units.pop(0)
    digits = 0 if value >= 100 or value == int(value) else 1
    return f"{value:.{digits}f} {units[0]}"


def clock(seconds: float) -> str:
    """Return a span of time as `0:07`, `12:30`, `3:05:00`; never less than zero."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def brief(seconds: float) -> str:
    """Return a span of time in five cells at most: `0:07`, `12:30`, `3h05m`, `12h`, `4d`."""
    hours, rest = divmod(max(0, int(seconds)), 3600)
    if not hours:
        return clock(seconds)
    if hours < 10:
        return f"{hours}h{rest // 60:02}m"
    return f"{hours}h" if hours < 100 else f"{hours // 24}d"


def lasted(seconds: float | None) -> str:
    """Return a duration as `12 ms`, `1.25 s`, `2:05`."""
    if seconds is None:
        return "–"
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.2f} s" if seconds < 60 else clock(seconds)


def when(moment: datetime, now: datetime) -> str:
    """Return a moment in local time: the hour for today, the date before it for other days."""
    local, today = moment.astimezone(), now.astimezone()
    return local.strftime("%H:%M:%S" if local.date() == today.date() else "%Y-%m-%d %H:%M")


def now() -> datetime:
    """Return this moment, in UTC."""
    return datetime.now(UTC)


def bar(fraction: float, cells: int, style: str) -> list[tuple[str, str]]:
    """Return a bar of `cells` that is full at 1 and empty at 0, as parts."""
    filled = round(min(1.0, max(0.0, fraction)) * cells)
    if fraction > 0:
        filled = max(1, filled)
    return [("━" * filled, style), ("━" * (cells - filled), "line")]
