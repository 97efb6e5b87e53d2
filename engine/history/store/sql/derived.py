"""Whether what the database derives from the records, for speed, is what the records say."""

from __future__ import annotations

from collections.abc import Iterator

from engine.history.chain.merkle import STORED, node
from engine.history.store.sql import cases
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.facts.check import facts_problems
from engine.history.verify.stored_data import STATE_MARK

_PROBLEMS = {
    "a state of a case was inserted": "SELECT 1 FROM case_states WHERE n NOT IN (SELECT n FROM cases)",
    "a content was inserted: no record names it": (
        "SELECT 1 FROM blobs WHERE n NOT IN (SELECT blob FROM case_blobs)"
    ),
    "the stored size of a content was changed": (
        "SELECT 1 FROM blobs WHERE stored != coalesce(length(body), 0)"
    ),
    "the time of a content was changed": """
        SELECT 1 FROM blobs WHERE NOT EXISTS (
            SELECT 1 FROM case_blobs JOIN cases ON cases.n = case_n JOIN events ON subject = cases.id
            WHERE blob = blobs.n AND events.at = blobs.at
        ) AND NOT EXISTS (SELECT 1 FROM case_blobs WHERE blob = blobs.n AND case_n = 0)
    """,
    "the use of a content was inserted": """
        SELECT 1 FROM case_blobs WHERE blob NOT IN (SELECT n FROM blobs)
        OR (case_n != 0 AND case_n NOT IN (SELECT n FROM cases))
        OR (case_n = 0 AND NOT EXISTS (
            SELECT 1 FROM events WHERE type IN ('run.output', 'run.artifact')
            AND instr(data, (SELECT lower(hex(digest)) FROM blobs WHERE n = blob)) > 0
        ))
    """,
}
_FIRSTS = """
SELECT n, (
    SELECT seq FROM events WHERE subject = cases.id AND instr(data, :mark) > 0 ORDER BY seq LIMIT 1
) FROM cases ORDER BY n
"""
_SUBTREES = "SELECT level, place, hash FROM subtrees ORDER BY level, place"


def derived_problems(connection: SqlConnection) -> Iterator[str]:
    """Yield what is not as it follows from the records, or is no part of a history at all."""
    yield from connection.dialect.structure_problems()
    for problem, query in _PROBLEMS.items():
        if connection.execute(f"{query} LIMIT 1").fetchone():
            yield problem
    yield from _order(connection)
    yield from _counts(connection)
    yield from _subtrees(connection)
    yield from facts_problems(connection)
    yield from connection.dialect.index_problems()


def _order(connection: SqlConnection) -> Iterator[str]:
    """Yield whether the cases are not numbered as their first records came."""
    last = 0
    for expected, (number, seq) in enumerate(connection.execute(_FIRSTS, {"mark": STATE_MARK}), 1):
        if number != expected or seq is None or seq <= last:
            yield "the order of the cases was changed"
            return
        last = seq


def _counts(connection: SqlConnection) -> Iterator[str]:
    for table, key, value in cases.COUNTS:
        counted = (
            f"SELECT {value}, risk, status, coalesce(kill_reason, ''), language, count(*) FROM cases "
            "GROUP BY 1, 2, 3, 4, 5"
        )
        stored = f"SELECT {key}, risk, status, kill_reason, language, count FROM {table}"
        differences = (
            f"SELECT * FROM ({stored} EXCEPT {counted}) AS more "
            f"UNION ALL SELECT * FROM ({counted} EXCEPT {stored}) AS less"
        )
        if connection.execute(f"{differences} LIMIT 1").fetchone():
            yield f"the table {table} was changed: it is not what the cases add up to"


def _subtrees(connection: SqlConnection) -> Iterator[str]:
    """Yield whether the stored subtrees are others than the records complete; their leaves are read apart."""
    (size,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    below: list[bytes] = []
    level, row, rows = STORED, None, connection.execute(_SUBTREES)
    while size >> level:
        here = []
        for place in range(size >> level):
            row = rows.fetchone()
            right = row is not None and row[:2] == (level, place)
            if not right or (below and row[2] != node(below[2 * place], below[2 * place + 1])):
                yield "the stored tree over the records was changed"
                return
            here.append(row[2])
        below, level = here, level + 1
    if rows.fetchone():
        yield "the stored tree over the records was changed"
