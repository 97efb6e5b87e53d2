"""A history in a PostgreSQL database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
from psycopg.errors import LockNotAvailable

from engine.common.local_files import private_folder
from engine.history.errors import HistoryError, HistoryHeldError
from engine.history.store.postgres.chain_end import HELD_SECONDS, WRITER
from engine.history.store.postgres.connection import PostgresConnection
from engine.history.store.postgres.errors import explain
from engine.history.store.postgres.link import LOCK, ServerLink, connect, end
from engine.history.store.postgres.migrate import format_of, require_known
from engine.history.store.postgres.url import ServerUrl

FIRST_SECONDS, AGAIN_SECONDS = 1, 30
"""How long the lock is waited for: at first, and where the engine's own lost session may still hold it."""


class PostgresDatabase:
    """Implements SqlDatabase."""

    errors: tuple[type[Exception], ...] = (psycopg.Error, OSError)

    def __init__(self, url: ServerUrl, path: Path, engine: str = "") -> None:
        self._url = url
        self._engine = engine
        """The name of this engine among several that write; empty where it writes alone."""
        self._path = path
        self._seconds = FIRST_SECONDS
        self._connection: PostgresConnection | None = None

    @property
    def path(self) -> Path:
        """Beside what the key and the checkpoints lie on this machine."""
        return self._path

    @property
    def file(self) -> None:
        """The file that another process can verify: there is none."""
        return None

    @property
    def name(self) -> str:
        """What people are told that did not answer."""
        return f"PostgreSQL at {self._url}"

    def lock(self) -> PostgresConnection:
        """Return the connection that writes, whose session holds the lock.

        Raises:
            HistoryHeldError: another engine holds it.
            HistoryError: the server does not answer.
        """
        try:
            private_folder(self._path.parent)
            self._connection = PostgresConnection(self._locked, self._engine)
        except self.errors as error:
            raise self.explain(error) from None
        self._seconds = AGAIN_SECONDS
        return self._connection

    def writer(self) -> PostgresConnection:
        """Return the connection that writes; the tables are created or upgraded first."""
        connection = self._connection or self.lock()
        connection.migrate(self._url)
        return connection

    def reader(self, give_up: Callable[[], bool]) -> PostgresConnection:
        """Return a connection that cannot write; its statements are cancelled once `give_up` returns True."""

        def link() -> ServerLink:
            made = connect(self._url, read_only=True)
            made.give_up = give_up
            try:
                require_known(format_of(made), self._url)
            except BaseException:
                end(made)
                raise
            return made

        return PostgresConnection(link)

    def explain(self, error: Exception) -> HistoryError:
        """Return what an error means, and what to type next."""
        return explain(error, self._url)

    def _locked(self) -> ServerLink:
        link = connect(self._url)
        try:
            link.execute(f"SET lock_timeout = '{self._seconds}s'".encode())
            self._take_lock(link)
            link.execute(f"SET lock_timeout = '{HELD_SECONDS if self._engine else 0}s'".encode())
        except LockNotAvailable:
            end(link)
            raise HistoryHeldError(
                f"Another engine already writes the history {self._url}",
                hint="Use that one (pratique doctor finds it), or stop it first",
            ) from None
        except BaseException:
            end(link)
            raise
        return link

    def _take_lock(self, link: ServerLink) -> None:
        """Wait for the lock: that of the only writer, or those of one among several."""
        if not self._engine:
            link.execute(b"SELECT pg_advisory_lock(%s)", (LOCK,))
            return
        link.execute(f"SET application_name = '{WRITER}'".encode())
        link.execute(b"SELECT pg_advisory_lock_shared(%s)", (LOCK,))
        link.execute(b"SELECT pg_advisory_lock(%s, hashtext(%s))", (LOCK, self._engine))
