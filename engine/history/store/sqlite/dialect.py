"""A connection to SQLite, and its dialect of SQL."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from engine.history.search.query.tree import Value
from engine.history.store.sql.connection import Values
from engine.history.store.sql.where import Where
from engine.history.store.sqlite import derived, fulltext_index
from engine.history.store.sqlite.log import empty_log
from engine.history.store.sqlite.texts import text_leaf
from engine.history.store.sqlite.tolerant_rows import rows_of

_COUNTED_FACTS = """
SELECT fact_values.value, count(DISTINCT case_n) FROM json_each(?) AS found
CROSS JOIN facts INDEXED BY facts_case ON case_n = found.value
CROSS JOIN fact_values ON fact_values.id = facts.value
WHERE field IN ({}) GROUP BY fact_values.value
"""


MOST_REWRITTEN = 1 << 30
"""Bytes of a database up to which it is written anew: nothing is recorded meanwhile."""
_SIZE = ("count", "size")


class SqliteConnection(sqlite3.Connection):
    """A connection to SQLite that knows its dialect."""

    @property
    def dialect(self) -> SqliteDialect:
        """Where the SQL of SQLite differs."""
        return SqliteDialect(self)

    def begin(self, known: int | None) -> None:
        """Begin a transaction that writes. Nobody else has appended: one engine alone writes a file."""
        self.execute("BEGIN IMMEDIATE")


class SqliteDialect:
    """Implements Dialect."""

    join = "CROSS JOIN"
    facts_by_case = "facts INDEXED BY facts_case"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    @property
    def is_new(self) -> bool:
        """Whether this is one of several engines: never."""
        return False

    def place(self, id: str, *, is_open: bool) -> None:
        """Do nothing: every submission is with the one engine."""

    def bind_key(self, key: str, id: str) -> str:
        """Return nothing: the one engine knows its keys."""
        return ""

    def unindexed(self, column: str) -> str:
        """Return a column so that no index of it is used."""
        return f"+{column}"

    def like(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that a text has these parts in order, with anything between them."""
        quoted = (part.replace("[", "[[]").replace("?", "[?]").replace("*", "[*]") for part in parts)
        return Where(f"{column} GLOB ?", ("*".join(quoted),))

    def contains(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that these parts are in a text in order, in small or capital letters."""
        quoted = (part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_") for part in parts)
        return Where(f"{column} LIKE ? ESCAPE '\\'", ("%".join(("", *quoted, "")),))

    def among(self, column: str, numbers: Sequence[int]) -> Where:
        """Return the condition that a column has one of these numbers, however many they are."""
        return Where(f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(numbers),))

    def counted_facts(self, fields: Sequence[str], numbers: Sequence[int]) -> Where:
        """Return the query for the values of facts of these cases, with how many have each."""
        return Where(_COUNTED_FACTS.format(", ".join("?" * len(fields))), (json.dumps(numbers), *fields))

    def words(self, field: str, value: Value, name: str) -> tuple[Where, Where]:
        """Return a query for the cases that use a text with these words, and a condition on a case."""
        return text_leaf(self._connection, field, value, name)

    def index_texts(self) -> bool:
        """Index the next contents for the search, and return whether there may be more."""
        return fulltext_index.index_some(self._connection)

    def forget_text(self, number: int, body: bytes) -> None:
        """Take a content out of the index of texts, before it is erased."""
        fulltext_index.forget(self._connection, number, body)

    def rows(self, query: str, values: Values) -> list[tuple[Any, ...]]:
        """Return all rows; bytes that are no UTF-8 come as lone surrogates, which nothing here ever wrote."""
        return rows_of(self._connection, query, values)

    def structure_problems(self) -> Iterator[str]:
        """Yield what the database has beside the tables and indexes of a history, and lacks of them."""
        return derived.structure_problems(self._connection)

    def index_problems(self) -> Iterator[str]:
        """Yield what is wrong with the index of texts, and what SQLite itself finds."""
        return derived.index_problems(self._connection)

    def tidy(self) -> None:
        """Put the write-ahead log into the database."""
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def merge_texts(self, *, begin: bool) -> bool:
        """Write some of the index of texts anew without what was taken out; return whether there is more."""
        return fulltext_index.merge_some(self._connection, begin=begin)

    def purge(self) -> bool:
        """Write every page anew where that is quick, and empty the write-ahead log.

        What is deleted is written over at once: the pages of a large database need no more than that.
        """
        ((pages,), (size,)) = (self._connection.execute(f"PRAGMA page_{name}").fetchone() for name in _SIZE)
        is_small = bool(pages * size <= MOST_REWRITTEN)
        if is_small:
            self._connection.execute("VACUUM")
        empty_log(self._connection)
        return is_small
