"""From a filter to SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.history.search.filter import Term
from engine.models import DecisionOutcome, Status

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
_BEYOND = 2**63 - 1
"""No case has that number."""
APPROVED = (Status.QUEUED, Status.RUNNING, Status.FINISHED, Status.KILLED)


@dataclass(frozen=True, slots=True)
class Where:
    """A condition in SQL and its values."""

    sql: str
    values: tuple[str | float, ...]


def where(terms: Sequence[Term]) -> Where:
    """Return the condition that all terms hold, none of which is about texts."""
    return joined([condition(term) for term in terms])


def joined(parts: Sequence[Where]) -> Where:
    """Return the condition that all of these hold."""
    sql = " AND ".join(part.sql for part in parts) or "1"
    return Where(sql, tuple(value for part in parts for value in part.values))


def condition(term: Term, *, unindexed: bool = False) -> Where:
    """Return the condition of a term that is not about texts; `unindexed` keeps SQLite from an index."""
    free = "+" if unindexed else ""
    if term.key == "since":
        found = _since(term)
    elif term.key == "until":
        found = _until(term)
    elif term.key == "decision":
        statuses = [status for outcome in term.values for status in _statuses(str(outcome))]
        found = _among(f"{free}status", tuple(statuses))
    elif term.operator == "is":
        found = Where(f"{free}{COLUMNS[term.key]} = ?", term.values)
    elif term.operator == "=":
        found = _among(free + COLUMNS[term.key], term.values)
    else:
        found = Where(f"{free}{COLUMNS[term.key]} {term.operator} ?", term.values)
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
    sql = f"(+submitted_at >= ? AND n >= coalesce((SELECT min(n) FROM ({first})), {_BEYOND}))"
    return Where(sql, (*term.values, *term.values))


def _until(term: Term) -> Where:
    last = "SELECT n FROM cases WHERE submitted_at < ? ORDER BY submitted_at DESC LIMIT 50"
    sql = f"(+submitted_at < ? AND n <= coalesce((SELECT max(n) FROM ({last})), 0))"
    return Where(sql, (*term.values, *term.values))


def _statuses(outcome: str) -> tuple[Status, ...]:
    return APPROVED if outcome == DecisionOutcome.APPROVED else (Status(outcome),)


def phrase(term: Term) -> str:
    """Return a text as FTS5 is asked for it."""
    text = str(term.values[0]).replace('"', '""')
    return f'"{text}" *' if term.operator == "*" else f'"{text}"'
