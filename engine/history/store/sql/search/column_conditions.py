"""From values of a query to SQL."""

from __future__ import annotations

from collections.abc import Sequence

from engine.history.search.query.tree import Exact, FieldMatch, Range, Value, Wild
from engine.history.store.sql.connection import Dialect
from engine.history.store.sql.where import NOTHING, Where, joined
from engine.models import DecisionOutcome, Status

COLUMNS = {
    "risk": "risk",
    "status": "status",
    "decision": "status",
    "kill": "kill_reason",
    "lang": "language",
    "requester": "requester",
    "reviewer": "reviewer",
    "id": "id",
    "digest": "digest",
    "duration": "duration",
    "memory": "memory_peak",
    "lines": "lines",
    "violations": "violations",
    "exit": "exit_code",
    "waited": "decided_after",
    "submitted": "submitted_at",
}
"""The column of each field that has one."""
_BEYOND = 2**63 - 1
"""No case has that number."""
APPROVED = (Status.QUEUED, Status.RUNNING, Status.FINISHED, Status.KILLED)


def column_condition(dialect: Dialect, match: FieldMatch, *, unindexed: bool = False) -> Where:
    """Return the condition of a field that is a column; `unindexed` keeps the planner from an index."""
    column = COLUMNS[match.field]
    column = dialect.unindexed(column) if unindexed else column
    if match.field == "decision":
        outcomes = [value.text for value in match.values if isinstance(value, Exact)]
        statuses = [status.value for outcome in outcomes for status in _statuses(outcome)]
        return among(dialect, column, [Exact(status) for status in statuses])
    if match.field == "submitted" and unindexed:
        return joined([_submitted(column, value) for value in match.values if isinstance(value, Range)], "OR")
    return among(dialect, column, match.values)


def among(dialect: Dialect, column: str, values: Sequence[Value], *, phrase: bool = False) -> Where:
    """Return the condition that a column has one of these values; with `phrase`, anywhere in it."""
    if phrase:
        return joined([dialect.contains(column, _parts(value)) for value in values], "OR")
    exact = tuple(value.text for value in values if isinstance(value, Exact))
    parts = [Where(f"{column} IN ({', '.join('?' * len(exact))})", exact)] if exact else []
    parts += [dialect.like(column, value.parts) for value in values if isinstance(value, Wild)]
    parts += [_within(column, value) for value in values if isinstance(value, Range)]
    return joined(parts, "OR")


def _within(column: str, value: Range) -> Where:
    if value.low is not None and value.low == value.high:
        return Where(f"{column} = ?", (value.low,)) if not value.high_open else NOTHING
    parts = [Where(f"{column} IS NOT NULL")] if value.low is None and value.high is None else []
    if value.low is not None:
        parts.append(Where(f"{column} {'>' if value.low_open else '>='} ?", (value.low,)))
    if value.high is not None:
        parts.append(Where(f"{column} {'<' if value.high_open else '<='} ?", (value.high,)))
    return joined(parts, "AND")


def _parts(value: Value) -> tuple[str, ...]:
    return value.parts if isinstance(value, Wild) else (value.text,) if isinstance(value, Exact) else ()


def _submitted(column: str, value: Range) -> Where:
    """Bound the numbers too, which follow time but for moments: cases are walked from the newest on."""
    parts = [_within(column, value)]
    if value.low is not None:
        first = "SELECT n FROM cases WHERE submitted_at >= ? ORDER BY submitted_at LIMIT 50"
        parts.append(
            Where(f"n >= coalesce((SELECT min(n) FROM ({first}) AS first), {_BEYOND})", (value.low,))
        )
    if value.high is not None:
        last = "SELECT n FROM cases WHERE submitted_at <= ? ORDER BY submitted_at DESC LIMIT 50"
        parts.append(Where(f"n <= coalesce((SELECT max(n) FROM ({last}) AS last), 0)", (value.high,)))
    return joined(parts, "AND")


def _statuses(outcome: str) -> tuple[Status, ...]:
    return APPROVED if outcome == DecisionOutcome.APPROVED else (Status(outcome),)
