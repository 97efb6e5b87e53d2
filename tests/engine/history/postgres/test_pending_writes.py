"""What waits to be sent arrives whole, in order, and in few statements."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.history.store.postgres.pending_writes import PendingWrites
from tests.postgres_server import server

INSERT = "INSERT INTO t (n, a) VALUES (?, ?)"
UPSERT = f"{INSERT} ON CONFLICT (n) DO UPDATE SET a = excluded.a"
CHANGE = "UPDATE t SET a = :a WHERE n = :n"


@pytest.fixture(scope="module")
def link(tmp_path_factory: pytest.TempPathFactory) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """Yield a connection to a database with an empty table."""
    name = hashlib.sha256(str(tmp_path_factory.getbasetemp()).encode()).hexdigest()[:16]
    link = psycopg.connect(server().database(f"of_{name}"), autocommit=True)
    link.execute("CREATE TABLE IF NOT EXISTS t (n INT PRIMARY KEY, a TEXT)")
    yield link
    link.close()


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


def test_many_rows_take_few_statements(link: psycopg.Connection[tuple[Any, ...]]) -> None:
    """A thousand rows are less than thirty statements."""
    link.execute("TRUNCATE t")
    pending = PendingWrites()
    pending.add(INSERT, [(n, "") for n in range(1000)])
    sent: list[object] = []

    class Counting:
        def execute(self, query: bytes, values: object) -> None:
            sent.append(values)

    pending.send(Counting())  # type: ignore[arg-type]
    assert 0 < len(sent) < 30
