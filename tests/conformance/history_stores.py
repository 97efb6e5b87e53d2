"""The implementations of HistoryStore that are tested. A new store joins by an entry in `STORES`."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Protocol

import psycopg

from engine.common.text import Untrusted
from engine.history.api import HistoryStore
from engine.history.store.postgres.store import PostgresHistoryStore
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Case,
    Event,
)
from engine.settings import HistorySettings
from tests.postgres_server import OWNER, server

ALICE = Untrusted("alice")


_PAGES = (
    "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relfilenode != 0"
)


class Implementation(Protocol):
    """How the tests open a store in a folder, and change what it has written behind its back."""

    async def open(self, folder: Path, settings: HistorySettings) -> HistoryStore:
        """Open the store in a folder, and create it if there is none."""

    def alter_event(self, folder: Path, seq: int) -> None:
        """Change the actor of an event."""

    def alter_case(self, folder: Path, id: str) -> None:
        """Change the risk of a case."""

    def alter_data(self, folder: Path, seq: int, data: str) -> None:
        """Change the data of an event."""

    def holds(self, folder: Path, text: str) -> bool:
        """Return whether a text is in any byte of what is stored."""


class Sqlite:
    """The store in one SQLite file."""

    async def open(self, folder: Path, settings: HistorySettings) -> HistoryStore:
        """Open the store in a folder, and create it if there is none."""
        return await SqliteHistoryStore.open(folder / "pratique.db", settings)

    def alter_event(self, folder: Path, seq: int) -> None:
        """Change the actor of an event."""
        self._execute(folder, "UPDATE events SET actor = 'mallory' WHERE seq = ?", seq)

    def alter_case(self, folder: Path, id: str) -> None:
        """Change the risk of a case."""
        self._execute(folder, "UPDATE cases SET risk = 'critical' WHERE id = ?", id)

    def alter_data(self, folder: Path, seq: int, data: str) -> None:
        """Change the data of an event."""
        self._execute(folder, "UPDATE events SET data = ? WHERE seq = ?", data, seq)

    def holds(self, folder: Path, text: str) -> bool:
        """Return whether a text is in any byte of any file of the folder."""
        files = (file for file in folder.rglob("*") if file.is_file())
        return any(text.encode() in file.read_bytes() for file in files)

    def _execute(self, folder: Path, statement: str, *values: object) -> None:
        with contextlib.closing(sqlite3.connect(folder / "pratique.db", isolation_level=None)) as connection:
            connection.execute(statement, values)


class Postgres:
    """The store in a database of the tests' own server: one database for each folder."""

    async def open(self, folder: Path, settings: HistorySettings) -> HistoryStore:
        """Open the store of a folder, and create it if there is none."""
        return await PostgresHistoryStore.open(_database(folder), folder / "pratique.db", settings)

    def alter_event(self, folder: Path, seq: int) -> None:
        """Change the actor of an event."""
        self._execute(folder, "UPDATE pratique.events SET actor = 'mallory' WHERE seq = %s", seq)

    def alter_case(self, folder: Path, id: str) -> None:
        """Change the risk of a case."""
        self._execute(folder, "UPDATE pratique.cases SET risk = 'critical' WHERE id = %s", id)

    def alter_data(self, folder: Path, seq: int, data: str) -> None:
        """Change the data of an event."""
        self._execute(folder, "UPDATE pratique.events SET data = %s WHERE seq = %s", data, seq)

    def holds(self, folder: Path, text: str) -> bool:
        """Return whether a text is in any page of any table or index of the database."""
        with psycopg.connect(server().url(OWNER, _name(folder)), autocommit=True) as connection:
            connection.execute("CHECKPOINT")
            pages = connection.execute(_PAGES).fetchall()
        return any(text.encode() in (server().folder / path).read_bytes() for (path,) in pages)

    def _execute(self, folder: Path, statement: str, *values: object) -> None:
        with psycopg.connect(_database(folder), autocommit=True) as connection:
            connection.execute(statement.encode(), values)


class OneOfSeveral(Postgres):
    """The store of one of several engines over a database of the tests' own server."""

    async def open(self, folder: Path, settings: HistorySettings) -> HistoryStore:
        """Open the store of a folder, and create it if there is none."""
        path, name = folder / "pratique.db", "engine-1"
        return await PostgresHistoryStore.open(_database(folder), path, settings, engine=name)


def _database(folder: Path) -> str:
    return server().database(_name(folder))


def _name(folder: Path) -> str:
    return f"of_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"


STORES: dict[str, Implementation] = {"sqlite": Sqlite(), "postgres": Postgres(), "several": OneOfSeveral()}


@contextlib.asynccontextmanager
async def opened(implementation: Implementation, folder: Path, **changed: Any) -> AsyncIterator[HistoryStore]:
    """Open a store for the time of a block."""
    store = await implementation.open(folder, HistorySettings(batch_milliseconds=5, **changed))
    try:
        yield store
    finally:
        await store.close()


async def record(store: HistoryStore, case: Case, *, durable: bool = True) -> Event:
    """Record a case, with an event that says nothing else."""
    return await store.append("claim.created", case.submission.id, ALICE, {}, case=case, durable=durable)
