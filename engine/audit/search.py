"""From a filter to SQL, and from SQL to summaries."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from engine.audit import cases
from engine.audit.filter import Term
from engine.models import Status, Summary, Verdict

COLUMNS = {
    "risk": "risk",
    "status": "status",
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
}
APPROVED = (Status.QUEUED, Status.RUNNING, Status.FINISHED, Status.KILLED)
_SUMMARY = ", ".join(cases.COLUMNS)
_FOUND = "n IN (SELECT kase FROM uses WHERE blob IN (SELECT rowid FROM words WHERE words MATCH ?))"


@dataclass(frozen=True, slots=True)
class Where:
    """A condition in SQL and its values."""

    sql: str
    values: tuple[str | float, ...]


def where(terms: Sequence[Term]) -> Where:
    """Return the condition that all terms hold."""
    parts = [_condition(term) for term in terms]
    sql = " AND ".join(part.sql for part in parts) or "1"
    return Where(sql, tuple(value for part in parts for value in part.values))


def summaries(
    connection: sqlite3.Connection, terms: Sequence[Term], before: str | None, limit: int
) -> tuple[Summary, ...]:
    """Return a line for each case that fits and is older than the id `before`, the newest first."""
    fits = where(terms)
    page = "" if before is None else "AND n < (SELECT n FROM cases WHERE id = ?)"
    values = (*fits.values, *((before,) if before is not None else ()), limit)
    rows = connection.execute(
        f"SELECT {_SUMMARY} FROM cases WHERE {fits.sql} {page} ORDER BY n DESC LIMIT ?", values
    )
    return tuple(cases.summary_from(row) for row in rows)


def _condition(term: Term) -> Where:
    if term.key == "text":
        found = Where(_FOUND, (_phrase(term),))
    elif term.key == "since":
        found = _since(term)
    elif term.key == "until":
        found = Where("submitted_at < ?", term.values)
    elif term.key == "decision":
        found = _among(
            "status", tuple(status for verdict in term.values for status in _statuses(str(verdict)))
        )
    elif term.operator == "=":
        found = _among(COLUMNS[term.key], term.values)
    else:
        found = Where(f"{COLUMNS[term.key]} {term.operator} ?", term.values)
    return Where(f"NOT coalesce({found.sql}, 0)", found.values) if term.negated else found


def _among(column: str, values: tuple[str | float, ...]) -> Where:
    exact = tuple(value for value in values if not _is_open(value))
    sql = [f"{column} IN ({', '.join('?' * len(exact))})"] if exact else []
    opened = tuple(str(value) for value in values if _is_open(value))
    sql += [f"{column} GLOB ?"] * len(opened)
    return Where(f"({' OR '.join(sql)})", (*exact, *(_glob(value) for value in opened)))


def _is_open(value: str | float) -> bool:
    return isinstance(value, str) and value.endswith("*")


def _glob(value: str) -> str:
    plain = value.rstrip("*").replace("[", "[[]").replace("?", "[?]").replace("*", "[*]")
    return f"{plain}*"


def _since(term: Term) -> Where:
    """Bound the numbers too, which follow time but for moments: cases are walked from the newest on."""
    first = "SELECT n FROM cases WHERE submitted_at >= ? ORDER BY submitted_at LIMIT 50"
    sql = f"(submitted_at >= ? AND n >= coalesce((SELECT min(n) FROM ({first})), 0))"
    return Where(sql, (*term.values, *term.values))


def _statuses(verdict: str) -> tuple[Status, ...]:
    return APPROVED if verdict == Verdict.APPROVED else (Status(verdict),)


def _phrase(term: Term) -> str:
    text = str(term.values[0]).replace('"', '""')
    return f'"{text}" *' if term.operator == "*" else f'"{text}"'
