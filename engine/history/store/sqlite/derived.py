"""Whether what the database derives from the records, for speed, is what the records say.

`COVERED` names, for every column, what holds it: a test changes each of them in turn. Nothing is left out.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from itertools import zip_longest

from engine.history.chain.merkle import STORED, node
from engine.history.store.sqlite import cases, fulltext_index, schema
from engine.history.store.sqlite.facts.check import facts_problems
from engine.history.verify.stored_data import STATE_MARK

COVERED = {
    "events": "the hash chain and its signed end",
    "signed_head": "its signature, and the last record",
    "cases": "the digest of the row in its last record; `n` by the order of the first records",
    "case_states": "the digest of the row in its last record",
    "blobs": "their digest, and the records that name it; `stored` and `at` by what is stored, and when",
    "case_blobs": "the contents that the case and its records name",
    "subtrees": "the tree over the records",
    "daily_counts": "the cases",
    "requester_counts": "the cases",
    "fulltext": "the contents up to the last one that is indexed",
    "fulltext_progress": "the contents that are in the index",
    "fact_values": "the facts of the cases",
    "facts": "the states and events of the cases",
    "facts_progress": "no more events are indexed than there are",
}
CACHES = {
    "fulltext_data": "how SQLite arranges the words is its own affair: every word is searched for instead",
    "fulltext_idx": "the same: a page that is not found is a word that is not found",
    "facts_progress": "what is indexed twice is the same; what is skipped is a fact that is missing",
}
"""Tables that are not compared byte by byte, and why: a change in them is found, or changes no search."""
MOST_INDEXED = 256 << 20
"""Bytes of stored contents up to which the index of texts is built again to compare it."""
_PROBLEMS = {
    "a state of a case was inserted": "SELECT 1 FROM case_states WHERE n NOT IN (SELECT n FROM cases)",
    "a content was inserted: no record names it": (
        "SELECT 1 FROM blobs WHERE n NOT IN (SELECT blob FROM case_blobs)"
    ),
    "the stored size of a content was changed": (
        "SELECT 1 FROM blobs WHERE typeof(stored) != 'integer' OR stored != ifnull(length(body), 0)"
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
            AND instr(data, (SELECT lower(hex(digest)) FROM blobs WHERE n = blob))
        ))
    """,
}
_SAME = (
    "SELECT id, typeof(sz), sz FROM fulltext_docsize ORDER BY id",
    "SELECT k, typeof(v), v FROM fulltext_config ORDER BY k",
    "SELECT iif(trim(hex(block), '0') = '', '', hex(block)) FROM fulltext_data WHERE id = 1",
)
"""What the index has beside its words: sizes of texts, its version, and the sums of both, which are empty at
first and zeros once all was erased."""
_FIRSTS = """
SELECT n, (
    SELECT seq FROM events WHERE subject = cases.id AND instr(data, :mark) ORDER BY seq LIMIT 1
) FROM cases ORDER BY n
"""
_SUBTREES = "SELECT level, place, hash FROM subtrees ORDER BY level, place"


def derived_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what is not as it follows from the records, or is no part of a history at all."""
    yield from schema.foreign_objects(connection)
    if connection.execute("PRAGMA user_version").fetchone() != (schema.VERSION,):
        yield "the format of the database was changed"
    for problem, query in _PROBLEMS.items():
        if connection.execute(f"{query} LIMIT 1").fetchone():
            yield problem
    yield from _order(connection)
    yield from _counts(connection)
    yield from _subtrees(connection)
    yield from _fulltext(connection)
    yield from facts_problems(connection)
    yield from _integrity(connection)


def _order(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield whether the cases are not numbered as their first records came."""
    last = 0
    for expected, (number, seq) in enumerate(connection.execute(_FIRSTS, {"mark": STATE_MARK}), 1):
        if number != expected or seq is None or seq <= last:
            yield "the order of the cases was changed"
            return
        last = seq


def _counts(connection: sqlite3.Connection) -> Iterator[str]:
    for table, key, value in cases.COUNTS:
        counted = (
            f"SELECT {value}, risk, status, ifnull(kill_reason, ''), language, count(*) FROM cases "
            "GROUP BY 1, 2, 3, 4, 5"
        )
        stored = f"SELECT {key}, risk, status, kill_reason, language, count FROM {table}"
        differences = (
            f"SELECT * FROM ({stored} EXCEPT {counted}) UNION ALL SELECT * FROM ({counted} EXCEPT {stored})"
        )
        if connection.execute(f"{differences} LIMIT 1").fetchone():
            yield f"the table {table} was changed: it is not what the cases add up to"


def _subtrees(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield whether the stored subtrees are others than the records complete; their leaves are read apart."""
    (size,) = connection.execute("SELECT ifnull(max(seq), 0) FROM events").fetchone()
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


def _fulltext(connection: sqlite3.Connection) -> Iterator[str]:
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    with (
        contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)) as stored,
        contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as rebuilt,
    ):
        stored.execute("BEGIN")
        progress = stored.execute("SELECT indexed FROM fulltext_progress").fetchall()
        (size,) = stored.execute("SELECT ifnull(sum(stored), 0) FROM blobs").fetchone()
        if len(progress) != 1 or not isinstance(progress[0][0], int):
            yield "the table fulltext_progress was changed"
        elif size <= MOST_INDEXED and not _is_index(stored, rebuilt, progress[0][0]):
            yield "the index of texts was changed: it is not that of the contents"


def _is_index(stored: sqlite3.Connection, rebuilt: sqlite3.Connection, last: int) -> bool:
    """Return whether the index holds exactly the words of the contents up to `last`."""
    contents = stored.execute(
        "SELECT n, body FROM blobs WHERE n <= ? AND body IS NOT NULL ORDER BY n", (last,)
    )
    rebuilt.execute(schema.FULLTEXT)
    rebuilt.execute("BEGIN")
    rebuilt.executemany(
        "INSERT INTO fulltext (rowid, text) VALUES (?, ?)",
        ((number, fulltext_index.text_of(body)) for number, body in contents),
    )
    rebuilt.execute("COMMIT")
    (most,) = stored.execute("SELECT ifnull(max(n), 0) FROM blobs").fetchone()
    return (
        last <= most
        and all(stored.execute(one).fetchall() == rebuilt.execute(one).fetchall() for one in _SAME)
        and all(a == b for a, b in zip_longest(_words(stored), _words(rebuilt)))
        and _finds(stored, rebuilt)
    )


def _words(connection: sqlite3.Connection) -> Iterator[tuple[object, ...]]:
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'fulltext', 'instance')")
    return iter(connection.execute("SELECT term, doc, offset FROM temp.words ORDER BY term, doc, offset"))


def _finds(stored: sqlite3.Connection, rebuilt: sqlite3.Connection) -> bool:
    """Return whether each word is found in as many texts as hold it."""
    rebuilt.execute("CREATE VIRTUAL TABLE temp.counted USING fts5vocab('main', 'fulltext', 'row')")
    find = "SELECT count(*) FROM fulltext WHERE fulltext MATCH ?"
    return all(
        stored.execute(find, (f'"{term}"',)).fetchone() == (count,)
        for term, count in rebuilt.execute("SELECT term, doc FROM temp.counted")
    )


def _integrity(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the first thing that SQLite itself finds wrong, such as an index that lacks a row."""
    (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if said != "ok":
        yield f"the database is damaged: {said}"
