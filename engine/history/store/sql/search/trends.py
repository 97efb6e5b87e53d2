"""Metrics of the cases of a period."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import quantiles

from engine.history.search.query.tree import FieldMatch, Range
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.search.column_conditions import column_condition
from engine.models import DecisionTimes, KillReason, Level, Status, Trends

MEMORY_ALERT = 0.02
"""The share of runs killed for memory from which on there is an alert."""
HASTY_SECONDS = 3.0
"""An approval in less than that can hardly have been read."""


Row = tuple[str, str, str, str | None, str, float | None, str]
"""Submitted at, status, risk, kill reason, requester, seconds to decide, reviewer."""

_ROWS = """
SELECT submitted_at, status, risk, kill_reason, requester, decided_after, reviewer FROM cases
WHERE {} ORDER BY n DESC LIMIT ?
"""
MOST = 100_000
"""So many of the newest cases are looked at."""
MACHINES = frozenset({"", "policy", "nobody"})
"""Who decides without being a person."""


def trends(connection: SqlConnection, since: str) -> Trends:
    """Return the figures of the cases submitted from `since` on."""
    recent = column_condition(
        connection.dialect, FieldMatch("submitted", (Range(low=since),)), unindexed=True
    )
    return of(connection.execute(_ROWS.format(recent.sql), (*recent.values, MOST)).fetchall())


def of(rows: Sequence[Row]) -> Trends:
    """Return the figures of these cases."""
    rows = [row for row in rows if row[1] != Status.DRILL]
    ran = [row for row in rows if row[3] is not None]
    memory = sum(row[3] == KillReason.MEMORY for row in ran) / len(ran) if ran else 0.0
    by_people = [row for row in rows if row[6] not in MACHINES and row[5] is not None]
    approved = [row for row in by_people if row[1] in {"queued", "running", "finished", "killed"}]
    waited = [row for row in rows if row[6] not in {"", "policy"}]
    return Trends(
        submissions=len(rows),
        runs=len(ran),
        kills_by_hour=_kills_by_hour(ran),
        memory_share=memory,
        memory_alert=memory > MEMORY_ALERT,
        decision_seconds=_decision_seconds(by_people),
        expired_share=_share(row[1] == "expired" for row in waited),
        hasty_share=_share((row[5] or 0.0) < HASTY_SECONDS for row in approved),
        busiest=dict(Counter(row[4] for row in rows).most_common(10)),
    )


def _kills_by_hour(ran: Iterable[Row]) -> dict[str, dict[str, int]]:
    hours: dict[str, Counter[str]] = defaultdict(Counter)
    for at, _, _, kill, *_ in ran:
        if kill != KillReason.NONE:
            hours[at[:13]][str(kill)] += 1
    return {hour: dict(counts) for hour, counts in sorted(hours.items())}


def _decision_seconds(decided: Iterable[Row]) -> dict[Level, DecisionTimes]:
    waits: dict[Level, list[float]] = defaultdict(list)
    for _, _, risk, _, _, seconds, _ in decided:
        waits[Level(risk)].append(seconds or 0.0)
    return {level: _times(waits[level]) for level in Level if waits[level]}


def _times(seconds: list[float]) -> DecisionTimes:
    cuts = quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 19
    return DecisionTimes(count=len(seconds), p50=cuts[9], p95=cuts[18])


def _share(flags: Iterable[bool]) -> float:
    listed = list(flags)
    return sum(listed) / len(listed) if listed else 0.0
