"""The index of texts: which words a content has, and where they stand beside each other.

A text is stored as its words in order with a space around each, and as the set of its words, which has an
index. The index finds candidates; the order of the words decides.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from engine.history.search.query.tree import Exact, Value, Wild
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.indexed_text import AT_ONCE, ROLES, text_of
from engine.history.store.sql.where import NOTHING, Where

MOST_COMPARED = 256 << 20
"""Bytes of stored contents up to which all words are compared."""
LONGEST = 200
"""So many characters of a word are in the index."""
_WORD = re.compile(r"[^\W_]+")
_INSERT = """
INSERT INTO texts (blob, words, lexemes) VALUES (?, ?, array_to_tsvector(?::text[]))
ON CONFLICT (blob) DO UPDATE SET words = excluded.words, lexemes = excluded.lexemes
"""
_FITS = "texts.lexemes @@ ?::tsquery AND texts.words LIKE ?"
_STORED = "SELECT words, lexemes = array_to_tsvector(?::text[]) FROM texts WHERE blob = ?"
_SIZE = "SELECT coalesce(max(n), 0), coalesce(sum(stored), 0) FROM blobs"
_STRAY = """
SELECT 1 FROM texts WHERE blob > (SELECT max(indexed) FROM texts_progress)
OR NOT EXISTS (SELECT 1 FROM blobs WHERE n = blob AND body IS NOT NULL) LIMIT 1
"""


def words_of(text: str) -> list[str]:
    """Return the words of a text: letters and digits, small, without accents."""
    plain = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    return _WORD.findall(plain.lower())


def words_leaf(field: str, value: Value) -> tuple[Where, Where]:
    """Return a query for the cases that use a text with these words, and a condition on a case."""
    starts = isinstance(value, Wild)
    text = value.parts[0] if isinstance(value, Wild) else value.text if isinstance(value, Exact) else ""
    words = words_of(text)
    if not words:
        return Where("SELECT n FROM cases WHERE FALSE"), NOTHING
    values = (_query(words, starts=starts), f"% {' '.join(words)}{'' if starts else ' '}%")
    joined = f"case_blobs JOIN texts ON texts.blob = case_blobs.blob WHERE {_FITS}{ROLES[field]}"
    return (
        Where(f"SELECT case_n FROM {joined}", values),
        Where(f"EXISTS (SELECT 1 FROM {joined} AND case_blobs.case_n = cases.n)", values),
    )


def index_some(connection: SqlConnection) -> bool:
    """Index the next contents, and return whether there may be more."""
    (last,) = connection.execute("SELECT indexed FROM texts_progress").fetchone()
    rows = connection.execute(
        "SELECT n, body FROM blobs WHERE n > ? ORDER BY n LIMIT ?", (last, AT_ONCE)
    ).fetchall()
    for number, body in rows:
        if body:
            words = words_of(text_of(body))
            connection.execute(_INSERT, (number, _line(words), _lexemes(words)))
    if rows:
        connection.execute("UPDATE texts_progress SET indexed = ?", (rows[-1][0],))
    return len(rows) == AT_ONCE


def forget(connection: SqlConnection, number: int) -> None:
    """Take a content out of the index."""
    connection.execute("DELETE FROM texts WHERE blob = ?", (number,))


def problems(connection: SqlConnection) -> Iterator[str]:
    """Yield whether the index is not that of the contents."""
    progress = connection.execute("SELECT indexed FROM texts_progress").fetchall()
    most, size = connection.execute(_SIZE).fetchone()
    if len(progress) != 1 or not 0 <= progress[0][0] <= most:
        yield "the table texts_progress was changed"
    elif connection.execute(_STRAY).fetchone() or (
        size <= MOST_COMPARED and not _is_index(connection, progress[0][0])
    ):
        yield "the index of texts was changed: it is not that of the contents"


def _is_index(connection: SqlConnection, last: int) -> bool:
    numbers = connection.execute("SELECT n FROM blobs WHERE n <= ? AND body IS NOT NULL", (last,)).fetchall()
    return all(_is_right(connection, number) for (number,) in numbers)


def _is_right(connection: SqlConnection, number: int) -> bool:
    (body,) = connection.execute("SELECT body FROM blobs WHERE n = ?", (number,)).fetchone()
    words = words_of(text_of(body))
    return bool(connection.execute(_STORED, (_lexemes(words), number)).fetchone() == (_line(words), True))


def _line(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _lexemes(words: list[str]) -> list[str]:
    return sorted({word[:LONGEST] for word in words})


def _query(words: list[str], *, starts: bool) -> str:
    exact = words[:-1] if starts else words
    parts = [f"'{word[:LONGEST]}'" for word in exact]
    return " & ".join([*parts, f"'{words[-1][:LONGEST]}':*"] if starts else parts)
