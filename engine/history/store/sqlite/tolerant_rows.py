"""Reads rows whose text may have been replaced by bytes that are no valid text."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any


def rows_of(
    connection: sqlite3.Connection, query: str, values: Sequence[Any] | Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Return all rows; bytes that are no UTF-8 come as lone surrogates, which nothing here ever wrote."""
    try:
        return connection.execute(query, values).fetchall()
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    connection.text_factory = _text
    try:
        return connection.execute(query, values).fetchall()
    finally:
        connection.text_factory = str


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", "surrogateescape")
