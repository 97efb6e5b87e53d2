"""Metrics of the cases of a period, counted by the database: a day may have a hundred thousand of them."""

from __future__ import annotations

from collections import defaultdict
from statistics import quantiles

from engine.history.search.query.tree import FieldMatch, Range
from engine.history.store.sql.connection import Cursor, SqlConnection
from engine.history.store.sql.search.column_conditions import column_condition
from engine.models import DecisionTimes, Level, Trends
from engine.models.history import MEMORY_ALERT

HASTY_SECONDS = 3.0
"""An approval in less than that can hardly have been read."""
MOST = 100_000
"""So many of the newest cases are looked at."""

_CASES = """(
SELECT * FROM (
    SELECT submitted_at, status, risk, kill_reason, requester, decided_after, reviewer FROM cases
    WHERE {} ORDER BY n DESC LIMIT ?
) AS newest WHERE status <> 'drill'
) AS recent"""
_BY_PERSON = "reviewer NOT IN ('', 'policy', 'nobody') AND decided_after IS NOT NULL"
_APPROVED = f"status IN ('queued', 'running', 'finished', 'killed') AND {_BY_PERSON}"
_RUNS = "SELECT count(kill_reason), count(CASE WHEN kill_reason = 'memory' THEN 1 END) FROM {}"
_SHARES = f"""
SELECT count(*),
    count(CASE WHEN reviewer NOT IN ('', 'policy') THEN 1 END),
    count(CASE WHEN reviewer NOT IN ('', 'policy') AND status = 'expired' THEN 1 END),
    count(CASE WHEN {_APPROVED} THEN 1 END),
    count(CASE WHEN {_APPROVED} AND decided_after < {HASTY_SECONDS} THEN 1 END)
FROM {{}}
"""
_KILLS = """
SELECT substr(submitted_at, 1, 13), kill_reason, count(*) FROM {}
WHERE kill_reason <> 'none' GROUP BY 1, 2 ORDER BY 1, 2
"""
_WAITS = f"SELECT risk, decided_after FROM {{}} WHERE {_BY_PERSON}"
_BUSIEST = "SELECT requester, count(*) FROM {} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10"


class _Recent:
    """The cases that were submitted from a time on."""

    def __init__(self, connection: SqlConnection, since: str) -> None:
        self._connection = connection
        match = FieldMatch("submitted", (Range(low=since),))
        where = column_condition(connection.dialect, match, unindexed=True)
        self._cases = _CASES.format(where.sql)
        self._values = (*where.values, MOST)

    def ask(self, query: str) -> Cursor:
        """Answer a query about them."""
        return self._connection.execute(query.format(self._cases), self._values)


def memory_kills(connection: SqlConnection, since: str) -> tuple[int, int]:
    """Return how many cases submitted from `since` on ran, and how many were killed for memory."""
    runs, killed = _Recent(connection, since).ask(_RUNS).fetchone()
    return runs, killed


def trends(connection: SqlConnection, since: str) -> Trends:
    """Return the figures of the cases submitted from `since` on."""
    recent = _Recent(connection, since)
    runs, killed = recent.ask(_RUNS).fetchone()
    submissions, waited, expired, approved, hasty = recent.ask(_SHARES).fetchone()
    return Trends(
        submissions=submissions,
        runs=runs,
        kills_by_hour=_kills_by_hour(recent.ask(_KILLS)),
        memory_share=_share(killed, runs),
        memory_alert=_share(killed, runs) > MEMORY_ALERT,
        decision_seconds=_decision_seconds(recent.ask(_WAITS)),
        expired_share=_share(expired, waited),
        hasty_share=_share(hasty, approved),
        busiest=dict(recent.ask(_BUSIEST)),
    )


def _share(part: int, whole: int) -> float:
    """Return which share of a whole a part is; 0 of nothing."""
    return part / whole if whole else 0.0


def _kills_by_hour(kills: Cursor) -> dict[str, dict[str, int]]:
    hours: dict[str, dict[str, int]] = defaultdict(dict)
    for hour, reason, count in kills:
        hours[hour][reason] = count
    return dict(hours)


def _decision_seconds(decided: Cursor) -> dict[Level, DecisionTimes]:
    waits: dict[str, list[float]] = defaultdict(list)
    for risk, seconds in decided:
        waits[risk].append(seconds)
    return {level: _times(waits[level]) for level in Level if level in waits}


def _times(seconds: list[float]) -> DecisionTimes:
    cuts = quantiles(seconds, n=20) if len(seconds) > 1 else seconds * 19
    return DecisionTimes(count=len(seconds), p50=cuts[9], p95=cuts[18])
