"""What waits to be sent arrives whole, in order, and in few statements."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.history.store.postgres.pending_writes import PendingWrites
from engine.history.store.postgres.placeholders import read
from tests.postgres_server import server

INSERT = "INSERT INTO t (n, a) VALUES (?, ?)"
UPSERT = f"{INSERT} ON CONFLICT (n) DO UPDATE SET a = excluded.a"
CHANGE = "UPDATE t SET a = :a WHERE n = :n"


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """Yield a connection to a database with empty tables."""
    name = hashlib.sha256(str(tmp_path_factory.getbasetemp()).encode()).hexdigest()[:16]
    with psycopg.connect(server().database(f"of_{name}"), autocommit=True) as link:
        link.execute("CREATE TABLE IF NOT EXISTS t (n INT PRIMARY KEY, a TEXT)")
        link.execute("CREATE TABLE IF NOT EXISTS kinds (n BIGINT, a TEXT, b BYTEA, f FLOAT)")
        yield link


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(counts=st.lists(st.integers(0, 150), max_size=4))
def test_every_row_arrives_once_however_many_there_are(
    link: psycopg.Connection[tuple[Any, ...]], counts: list[int]
) -> None:
    """Plain rows, rows that replace others, and changes of them are done in the order in which they came."""
    link.execute("TRUNCATE t")
    pending, total = PendingWrites(), 0
    for count in counts:
        pending.add(INSERT, [(total + n, "new") for n in range(count)])
        pending.add(UPSERT, [(total, "first"), (total, "second")])
        pending.add(CHANGE, [{"n": total, "a": "third"}])
        total += max(count, 1)
    with link.pipeline():
        pending.send(link)
    found: dict[int, str] = dict(link.execute("SELECT n, a FROM t ORDER BY n").fetchall())
    assert list(range(total)) == list(found)
    assert len(counts) == sum(a == "third" for a in found.values())
    assert not pending


def sent_for(sql: str, rows: list[tuple[object, ...]]) -> int:
    """Return how many statements rows take."""
    pending = PendingWrites()
    pending.add(sql, rows)
    sent: list[object] = []

    class Counting:
        def execute(self, query: bytes, values: object) -> None:
            sent.append(values)

    pending.send(Counting())  # type: ignore[arg-type]
    return len(sent)


def test_many_rows_take_one_statement() -> None:
    """However many rows a plain INSERT has; one that may meet its own rows is one for each."""
    assert 1 == sent_for(INSERT, [(n, "") for n in range(1000)])
    assert 3 == sent_for(UPSERT, [(n, "") for n in range(3)])
    assert 2 == sent_for(INSERT, [(1, ""), (2, None)])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(
        st.tuples(
            st.integers(-(2**63), 2**63 - 1),
            st.none() | st.text(st.characters(exclude_categories=["Cs"])),
            st.binary(),
            st.floats(allow_nan=False),
        ),
        min_size=1,
    )
)
@example(rows=[(1, 'a "b" \\ {c},', b"", 0.5), (2, "NULL", b"\\x", 1e-300), (3, "\x00\x01", b"\x00", -0.0)])
def test_every_value_is_read_as_it_was_written(
    link: psycopg.Connection[tuple[Any, ...]], rows: list[tuple[Any, ...]]
) -> None:
    """Quotes, braces, commas, backslashes and what looks like nothing are texts like others."""
    link.execute("TRUNCATE kinds")
    pending = PendingWrites()
    pending.add("INSERT INTO kinds VALUES (?, ?, ?, ?)", rows)
    with link.pipeline():
        pending.send(link)
    found = [read(row) for row in link.execute("SELECT n, a, b, f FROM kinds")]
    assert rows == found
