"""The dialect of PostgreSQL's SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.history.search.query.tree import Value
from engine.history.store.postgres import words
from engine.history.store.postgres.structure_check import structure_problems
from engine.history.store.sql.connection import SqlConnection, Values
from engine.history.store.sql.where import Where

_COUNTED_FACTS = """
SELECT fact_values.value, count(DISTINCT case_n) FROM facts JOIN fact_values ON fact_values.id = facts.value
WHERE case_n = ANY (?::bigint[]) AND field IN ({}) GROUP BY fact_values.value
"""
_PLACE = """
INSERT INTO places (subject, engine) VALUES (?, ?)
ON CONFLICT (subject) DO UPDATE SET engine = excluded.engine
"""
_BIND = """
INSERT INTO submission_keys AS kept (key, subject, at) VALUES (?, ?, now()) ON CONFLICT (key) DO UPDATE SET
subject = CASE WHEN kept.at < now() - interval '24 hours' THEN excluded.subject ELSE kept.subject END,
at = CASE WHEN kept.at < now() - interval '24 hours' THEN now() ELSE kept.at END RETURNING subject
"""
_WITH_TEXTS = ("events", "blobs", "cases", "case_states", "facts", "fact_values", "texts")
_SPECIAL = re.compile(r"([\\%_])")


class PostgresDialect:
    """Implements Dialect."""

    join = "JOIN"
    facts_by_case = "facts"

    def __init__(self, connection: SqlConnection, engine: str = "", *, is_new: bool = False) -> None:
        self._connection = connection
        self._engine = engine
        self.is_new = is_new

    def place(self, id: str, *, is_open: bool) -> None:
        """Note, where several engines write, that an open submission is with this one."""
        if self._engine and is_open:
            self._connection.executemany(_PLACE, [(id, self._engine)])
        elif self._engine:
            self._connection.executemany("DELETE FROM places WHERE subject = ?", [(id,)])

    def bind_key(self, key: str, id: str) -> str:
        """Bind an idempotency key to a submission for a day; return the one that it is bound to already."""
        if not self._engine:
            return ""
        (bound,) = self._connection.execute(_BIND, (key, id)).fetchone()
        return "" if bound == id else str(bound)

    def unindexed(self, column: str) -> str:
        """Return the column: the planner, which knows how values are distributed, may choose."""
        return column

    def like(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that a text has these parts in order, with anything between them."""
        return Where(f"{column} LIKE ?", (_pattern(parts),))

    def contains(self, column: str, parts: Sequence[str]) -> Where:
        """Return the condition that these parts are in a text in order, in small or capital letters."""
        return Where(f"{column} ILIKE ?", (_pattern(("", *parts, "")),))

    def among(self, column: str, numbers: Sequence[int]) -> Where:
        """Return the condition that a column has one of these numbers, however many they are."""
        return Where(f"{column} = ANY (?::bigint[])", (list(numbers),))

    def counted_facts(self, fields: Sequence[str], numbers: Sequence[int]) -> Where:
        """Return the query for the values of facts of these cases, with how many have each."""
        marks = ", ".join("?" * len(fields))
        return Where(_COUNTED_FACTS.format(marks), (list(numbers), *fields))

    def words(self, field: str, value: Value, name: str) -> tuple[Where, Where]:
        """Return a query for the cases that use a text with these words, and a condition on a case."""
        return words.words_leaf(field, value)

    def index_texts(self) -> bool:
        """Index the next contents for the search, and return whether there may be more."""
        return words.index_some(self._connection)

    def forget_text(self, number: int, body: bytes) -> None:
        """Take a content out of the index of texts, before it is erased."""
        words.forget(self._connection, number)

    def rows(self, query: str, values: Values) -> list[tuple[Any, ...]]:
        """Return all rows: PostgreSQL takes no text that is none."""
        return self._connection.execute(query, values).fetchall()

    def structure_problems(self) -> Iterator[str]:
        """Yield what the schema has beside the history, and lacks of it."""
        return structure_problems(self._connection)

    def index_problems(self) -> Iterator[str]:
        """Yield what is wrong with the index of texts."""
        return words.problems(self._connection)

    def tidy(self) -> None:
        """Do nothing: the server looks after itself."""

    def merge_texts(self, *, begin: bool) -> bool:
        """Do nothing: the index of texts is a table."""
        return False

    def purge(self) -> bool:
        """Write the tables anew that have texts. The server's own log keeps older pages for a while."""
        for table in _WITH_TEXTS:
            self._connection.execute(f"VACUUM FULL {table}")
        return True


def _pattern(parts: Sequence[str]) -> str:
    return "%".join(_SPECIAL.sub(r"\\\1", part) for part in parts)
