"""What contradicted the history, as its own records say."""

from __future__ import annotations

from engine.history.store.sql.connection import SqlConnection

SUBJECT = "history"
CONTRADICTED = "history.contradicted"
_PROBLEMS = "SELECT data ->> 'problem' FROM events WHERE subject = ? AND type = ? ORDER BY seq"


def contradictions(connection: SqlConnection) -> tuple[str, ...]:
    """Return what contradicted the history whenever an engine opened it."""
    rows = connection.execute(_PROBLEMS, (SUBJECT, CONTRADICTED))
    return tuple(str(problem) for (problem,) in rows)
