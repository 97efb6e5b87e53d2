"""The index of facts: filled event by event when nothing else waits to be written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pydantic_core import from_json

from engine.history.errors import HistoryError
from engine.history.search.facts.case_facts import code_digest, state_facts
from engine.history.search.facts.event_facts import TYPES, event_facts, removed_facts
from engine.history.search.facts.names import Fact, bounded
from engine.history.search.facts.sketch import sketch
from engine.history.store.sql import blobs
from engine.history.store.sql.connection import SqlConnection

AT_ONCE = 128
"""So many events are indexed in one transaction."""
SKETCH = "sketch"
_TYPES = ", ".join(f"'{type}'" for type in TYPES)
_TOUCHED = f"""
SELECT DISTINCT n FROM events JOIN cases ON id = subject
WHERE events.seq > ? AND events.seq <= ? AND (type IN ({_TYPES}) OR instr(data, '"case_sha256":"') > 0)
"""
_EVENTS = f"""
SELECT type, actor, at, data FROM events
WHERE subject = (SELECT id FROM cases WHERE n = ?) AND seq <= ? AND type IN ({_TYPES}) ORDER BY seq
"""
_CODE = "SELECT body FROM blobs WHERE digest = ?"
_STORED = "SELECT field, fact_values.value FROM facts JOIN fact_values ON id = facts.value WHERE case_n = ?"

_ID = "SELECT id FROM fact_values WHERE field = ? AND value = ?"
_WITH_CODE = """
SELECT case_n FROM facts JOIN fact_values ON id = facts.value
WHERE field = 'code.digest' AND fact_values.value = ?
"""


def index_some(connection: SqlConnection, at_once: int = AT_ONCE) -> bool:
    """Index the cases of the next events, and return whether there may be more."""
    (done,) = connection.execute("SELECT indexed FROM facts_progress").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    until = min(done + at_once, last)
    if until > done:
        for (number,) in connection.execute(_TOUCHED, (done, until)).fetchall():
            _write(connection, number, until)
        connection.execute("UPDATE facts_progress SET indexed = ?", (until,))
    return bool(until < last)


def facts_of(connection: SqlConnection, number: int, until: int) -> frozenset[Fact]:
    """Return the facts of a case: those of its state, and of its events up to the number `until`."""
    return frozenset(map(bounded, _facts(connection, number, until)))


def stored_facts(connection: SqlConnection, number: int) -> frozenset[Fact]:
    """Return the facts of a case as they are in the index."""
    return frozenset(connection.execute(_STORED, (number,)))


def _facts(connection: SqlConnection, number: int, until: int) -> Iterator[Fact]:
    row = connection.execute("SELECT body FROM case_states WHERE n = ?", (number,)).fetchone()
    state = from_json(blobs.unpack(row[0])) if row else {}
    yield from state_facts(state)
    digest = code_digest(state)
    if digest:
        yield "code.digest", digest
        yield from ((SKETCH, one) for one in _sketch(connection, digest))
    yield from _event_facts(connection.execute(_EVENTS, (number, until)))


def _event_facts(rows: Iterable[Sequence[Any]]) -> Iterator[Fact]:
    """Yield what events say and none of them takes back later."""
    found: dict[Fact, None] = {}
    for type, actor, at, text in rows:
        data = from_json(text)
        for fact in removed_facts(type, data):
            found.pop(fact, None)
        found.update(dict.fromkeys(event_facts(type, actor, at, data)))
    yield from found


def _sketch(connection: SqlConnection, digest: str) -> frozenset[str]:
    """Return the sketch of a code, an empty one where it was erased or is damaged."""
    row = connection.execute(_CODE, (bytes.fromhex(digest),)).fetchone()
    try:
        return sketch(blobs.unpack(row[0]).decode()) if row and row[0] else frozenset()
    except (HistoryError, UnicodeDecodeError):
        return frozenset()


def _write(connection: SqlConnection, number: int, until: int) -> None:
    """Bring the facts of a case up to date."""
    wanted, stored = facts_of(connection, number, until), stored_facts(connection, number)
    for fact in sorted(wanted - stored):
        connection.execute(
            "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO NOTHING", (_value(connection, fact), number)
        )
    if stored - wanted:
        _remove(connection, number, stored - wanted)


def refresh(connection: SqlConnection, number: int) -> None:
    """Bring the facts of a case up to date with what is left of it, as far as events are indexed."""
    (done,) = connection.execute("SELECT indexed FROM facts_progress").fetchone()
    if stored_facts(connection, number):
        _write(connection, number, done)


def forget_code(connection: SqlConnection, digest: str) -> None:
    """Remove the sketch of a code that is erased, from the cases that have it as their code."""
    for (number,) in connection.execute(_WITH_CODE, (digest,)).fetchall():
        _remove(connection, number, (fact for fact in stored_facts(connection, number) if fact[0] == SKETCH))


def _remove(connection: SqlConnection, number: int, facts: Iterable[Fact]) -> None:
    """Remove facts of a case, and the values that no other case has."""
    for field, value in facts:
        (id,) = connection.execute(_ID, (field, value)).fetchone()
        connection.execute("DELETE FROM facts WHERE value = ? AND case_n = ?", (id, number))
        connection.execute(
            "DELETE FROM fact_values WHERE id = ? AND NOT EXISTS (SELECT 1 FROM facts WHERE value = ?)",
            (id, id),
        )


def _value(connection: SqlConnection, fact: Fact) -> int:
    """Return the number of a value, which is new where no case had it yet."""
    row = connection.execute(_ID, fact).fetchone()
    if row is None:
        row = connection.execute(
            "INSERT INTO fact_values (field, value) VALUES (?, ?) RETURNING id", fact
        ).fetchone()
    return int(row[0])
