"""Whether what SQLite has beside the tables of a history is as it should be.

`COVERED` names, for every column, what holds it: a test changes each of them in turn. Nothing is left out.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from itertools import zip_longest

from engine.history.store.sql.indexed_text import text_of
from engine.history.store.sqlite import schema

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
_NO_SIZE = "SELECT 1 FROM blobs WHERE typeof(stored) != 'integer' LIMIT 1"
_SAME = (
    "SELECT id, typeof(sz), sz FROM fulltext_docsize ORDER BY id",
    "SELECT k, typeof(v), v FROM fulltext_config ORDER BY k",
    "SELECT iif(trim(hex(block), '0') = '', '', hex(block)) FROM fulltext_data WHERE id = 1",
)
"""What the index has beside its words: sizes of texts, its version, and the sums of both, which are empty at
first and zeros once all was erased."""


def structure_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what is no part of a history, or is missing or of another type."""
    yield from schema.foreign_objects(connection)
    if connection.execute("PRAGMA user_version").fetchone() != (schema.VERSION,):
        yield "the format of the database was changed"
    if connection.execute(_NO_SIZE).fetchone():
        yield "the stored size of a content was changed"


def index_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what is wrong with the index of texts, and what SQLite itself finds."""
    yield from _fulltext(connection)
    yield from _integrity(connection)


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
        ((number, text_of(body)) for number, body in contents),
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
