"""Whether the index of facts is what the states and events of the cases say."""

from __future__ import annotations

from collections.abc import Iterator

from engine.history.errors import HistoryError
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.facts.index import facts_of, stored_facts

MOST_COMPARED = 100_000
"""So many of the newest cases are compared."""
_STRAY = """
SELECT 1 FROM facts WHERE value NOT IN (SELECT id FROM fact_values) OR case_n NOT IN (SELECT n FROM cases)
UNION ALL SELECT 1 FROM fact_values WHERE id NOT IN (SELECT value FROM facts) LIMIT 1
"""
_CASES = "SELECT n FROM cases WHERE seq <= ? ORDER BY n DESC LIMIT ?"


def facts_problems(connection: SqlConnection) -> Iterator[str]:
    """Yield what is wrong with the index of facts: a case found, or not found, by what it is not."""
    progress = connection.execute("SELECT indexed FROM facts_progress").fetchall()
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    if len(progress) != 1 or not isinstance(progress[0][0], int) or not 0 <= progress[0][0] <= last:
        yield "the table facts_progress was changed"
        return
    done = progress[0][0]
    if connection.execute(_STRAY).fetchone():
        yield "the index of facts was changed: it has what no case says"
        return
    for (number,) in connection.execute(_CASES, (done, MOST_COMPARED)):
        if not _is_right(connection, number, done):
            yield f"the index of facts was changed: it is not what case {number} says"
            return


def _is_right(connection: SqlConnection, number: int, done: int) -> bool:
    """Return whether a case has the facts that it should have; a damaged case is told elsewhere."""
    try:
        return facts_of(connection, number, done) == stored_facts(connection, number)
    except (HistoryError, ValueError):
        return True
