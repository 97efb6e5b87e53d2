"""Statements that no answer is needed of, sent together with the next one that an answer is needed of.

A round trip to the server costs more than most statements: what is only written waits for company.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import psycopg

from engine.history.store.postgres.arrays import array_of, array_type
from engine.history.store.postgres.placeholders import stored, translated
from engine.history.store.sql.connection import Values

MOST = 2000
"""So many rows wait at most."""
_VALUES = re.compile(r"(?P<into>\s*INSERT INTO .* )VALUES \((?P<row>[?, ]+)\)(?P<rest>.*)", re.DOTALL)
Statement = tuple[str, Values]


class PendingWrites:
    """What waits to be sent, in order; rows of the same INSERT become one statement."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str, list[Values]]] = []
        self._rows = 0

    def add(self, sql: str, rows: Sequence[Values]) -> None:
        """Let a statement wait, once for each of these values."""
        self._rows += len(rows)
        if self._waiting and self._waiting[-1][0] == sql:
            self._waiting[-1][1].extend(rows)
        elif rows:
            self._waiting.append((sql, list(rows)))

    @property
    def is_full(self) -> bool:
        """Whether more should not wait."""
        return self._rows >= MOST

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
        self._rows = 0

    def send(self, link: psycopg.Connection[Any]) -> None:
        """Send all that waits, within a pipeline of the caller's."""
        waiting, self._waiting, self._rows = self._waiting, [], 0
        for sql, rows in waiting:
            for statement, values in _statements(sql, rows):
                link.execute(translated(statement), values)

    def __bool__(self) -> bool:
        return bool(self._waiting)


def _statements(sql: str, rows: Sequence[Values]) -> Iterator[Statement]:
    """Yield the statements for these rows: one with an array for each column, where it is a plain INSERT.

    Of a statement with a placeholder for each value of each row, to find the placeholders took psycopg longer
    than all the rest.
    """
    plain = [stored(row) for row in rows]
    columns = list(zip(*plain, strict=True)) if len(plain) > 1 and isinstance(plain[0], tuple) else []
    types = tuple(map(array_type, columns))
    if columns and all(types) and (together := _of_arrays(sql, types)):
        yield together, [array_of(column) for column in columns]
    else:
        yield from ((sql, row) for row in plain)


@lru_cache(maxsize=200)
def _of_arrays(sql: str, types: tuple[str, ...]) -> str:
    """Return an INSERT of many rows; empty where it is not plain, or a row may meet another one of them."""
    found = _VALUES.fullmatch(sql)
    if found is None or "DO UPDATE" in found["rest"] or "RETURNING" in found["rest"]:
        return ""
    arrays = ", ".join(f"?::{type}[]" for type in types)
    return f"{found['into']}SELECT * FROM unnest({arrays}){found['rest']}"
