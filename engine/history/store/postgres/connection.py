"""A connection to PostgreSQL that knows its dialect. One that writes comes back when it was lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import psycopg

from engine.history.store.postgres.dialect import PostgresDialect
from engine.history.store.postgres.link import ServerLink, end
from engine.history.store.postgres.migrate import migrate
from engine.history.store.postgres.placeholders import stored, translated
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql.connection import Cursor, Values

AGAIN_SECONDS = 0.2
"""How often a server that went away in the middle of a commit is asked again."""


class PostgresConnection:
    """Implements SqlConnection over a link that is made anew where it was lost between transactions."""

    Error = psycopg.Error

    def __init__(self, connect: Callable[[], ServerLink]) -> None:
        self._connect = connect
        self._link = connect()
        self._closed = False
        self._open = False
        """Whether a transaction goes on."""

    @property
    def dialect(self) -> PostgresDialect:
        """Where the SQL of PostgreSQL differs."""
        return PostgresDialect(self)

    def execute(self, sql: str, parameters: Values = (), /) -> Cursor:
        """Execute a statement. A commit returns once it is known to be on the server's disk.

        Raises:
            psycopg.Error: it failed; where it was a commit, nothing was written.
            HistoryError: the link was lost, and another engine writes the history now.
        """
        if sql == "COMMIT":
            return self._commit()
        if sql == "ROLLBACK":
            self._open = False
        cursor = self._execute(sql, parameters)
        self._open = self._open or sql == "BEGIN"
        return cursor

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> object:
        """Execute a statement once for each of these values."""
        listed = [stored(values) for values in parameters]
        if len(listed) == 1:  # a pipeline takes half as long again
            return self._link.execute(translated(sql), listed[0])
        cursor = self._link.cursor()
        cursor.executemany(translated(sql), listed)
        return cursor

    def copy_rows(self, table: str, columns: Sequence[str], batches: Iterable[list[Sequence[Any]]]) -> None:
        """Write many rows at once, within a transaction."""
        into = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
        with self._link.cursor() as cursor, cursor.copy(into) as copy:
            for batch in batches:
                for row in batch:
                    copy.write_row(cast("Sequence[Any]", stored(row)))

    def migrate(self, url: ServerUrl) -> None:
        """Bring the tables to the format of this version."""
        migrate(self._link, url)

    def close(self) -> None:
        """End the connection."""
        self._closed = True
        end(self._link)

    def _execute(self, sql: str, parameters: Values) -> Cursor:
        """Execute a statement, over a new link where the last one was lost outside of a transaction."""
        query, values = translated(sql), stored(parameters)
        try:
            return cast("Cursor", self._link.execute(query, values))
        except psycopg.OperationalError:
            if not self._link.broken or self._open or sql == "ROLLBACK":
                raise
        self._reconnect()
        return cast("Cursor", self._link.execute(query, values))

    def _reconnect(self) -> None:
        end(self._link)
        self._link = self._connect()

    def _commit(self) -> Cursor:
        """Commit with a token, which tells whether a commit whose answer was lost was done."""
        token = secrets.token_hex(16)
        try:
            self._link.execute(f"UPDATE last_commit SET token = '{token}'; COMMIT".encode())
            self._open = False
        except psycopg.OperationalError as error:
            if not self._link.broken or not self._was_committed(token):
                raise error from None
            self._open = False
        return cast("Cursor", self._link.cursor())

    def _was_committed(self, token: str) -> bool:
        """Return whether a commit was done, as soon as the server can say so.

        To connect is to hold the lock that the lost session held: it has ended, and its commit with it.
        """
        while True:
            try:
                self._reconnect()
                return bool(self._execute("SELECT token FROM last_commit", ()).fetchone() == (token,))
            except (psycopg.Error, OSError):
                if self._closed:
                    raise
                time.sleep(AGAIN_SECONDS)
