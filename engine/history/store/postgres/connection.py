"""A connection to PostgreSQL that knows its dialect. One that writes comes back when it was lost."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import psycopg

from engine.history.errors import HistoryHeldError
from engine.history.store.postgres.chain_end import hold_end
from engine.history.store.postgres.dialect import PostgresDialect
from engine.history.store.postgres.link import ServerLink, end
from engine.history.store.postgres.migrate import migrate
from engine.history.store.postgres.pending_writes import PendingWrites
from engine.history.store.postgres.placeholders import stored, translated
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql.connection import Cursor, HeldEnd, Values

_TOKEN = b"UPDATE last_commit SET token = %s"
_ENTER = b"""
INSERT INTO engines (name, token, address, policy, beat, fenced) VALUES (%s, %s, '', '', 0, FALSE)
ON CONFLICT (name) DO UPDATE SET token = excluded.token, beat = engines.beat + 1, fenced = FALSE
RETURNING xmax = 0
"""
CHANNEL = "pratique"
"""Where each commit of several engines is told."""
_TELL = f"""
WITH moved AS (UPDATE last_commit SET token = %s), own AS (UPDATE engines SET token = %s WHERE name = %s)
SELECT pg_notify('{CHANNEL}', '')
""".encode()
AGAIN_SECONDS = 0.2
"""How often a server that went away in the middle of a commit is asked again."""


class PostgresConnection:
    """Implements SqlConnection over a link that is made anew where it was lost between transactions."""

    Error = psycopg.Error

    def __init__(self, connect: Callable[[], ServerLink], engine: str = "") -> None:
        self._connect = connect
        self._engine = engine
        self._is_new = False
        """Whether this is one of several engines, and starts for the first time."""
        self._link = connect()
        self._closed = False
        self._open = False
        """Whether a transaction goes on."""
        self._begun = False
        """Whether the server knows of it."""
        self._pending = PendingWrites()
        self._token: str | None = None
        """What the last commit left; None on a connection that only reads."""
        self._superseded = False
        """Whether another engine has written since."""

    @property
    def dialect(self) -> PostgresDialect:
        """Where the SQL of PostgreSQL differs."""
        return PostgresDialect(self, self._engine, is_new=self._is_new)

    def begin(self, known: int | None) -> HeldEnd | None:
        """Begin a transaction; as one of several engines, at the end of the chain, which it holds."""
        self._reconnect_if_lost()
        self._open = True
        if not self._engine:
            return None
        self._begun = True
        return hold_end(self._link, known)

    def execute(self, sql: str, parameters: Values = (), /) -> Cursor:
        """Execute a statement. A commit returns once it is known to be on the server's disk.

        Raises:
            psycopg.Error: it failed, or what waited for it; where it was a commit, nothing was written.
            HistoryHeldError: the link was lost, and another engine writes the history now, or has since.
        """
        if sql == "COMMIT":
            return self._commit()
        if sql == "ROLLBACK":
            return self._roll_back()
        return self._execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> object:
        """Execute a statement once for each of these values; within a transaction, with the next one."""
        rows = [*parameters]
        if self._open:
            self._pending.add(sql, rows)
            if self._pending.is_full:
                self._send()
            return None
        cursor = self._link.cursor()
        cursor.executemany(translated(sql), [stored(values) for values in rows])
        return cursor

    def copy_rows(self, table: str, columns: Sequence[str], batches: Iterable[list[Sequence[Any]]]) -> None:
        """Write many rows at once, within a transaction."""
        self._send(b"SELECT 1")
        into = f"COPY {table} ({', '.join(columns)}) FROM STDIN".encode()
        with self._link.cursor() as cursor, cursor.copy(into) as copy:
            for batch in batches:
                for row in batch:
                    copy.write_row(cast("Sequence[Any]", stored(row)))

    def migrate(self, url: ServerUrl) -> None:
        """Bring the tables to the format of this version."""
        migrate(self._link, url)
        if self._engine:
            self._token = secrets.token_hex(16)
            row = self._link.execute(_ENTER, (self._engine, self._token)).fetchone()
            self._is_new = bool(row and row[0])
        else:
            self._token = self._last_token()

    def close(self) -> None:
        """End the connection."""
        self._closed = True
        end(self._link)

    def _execute(self, sql: str, parameters: Values) -> Cursor:
        """Execute a statement, over a new link where the last one was lost outside of a transaction."""
        query, values = translated(sql), stored(parameters)
        if self._open:
            return self._send(query, values)
        try:
            return cast("Cursor", self._link.execute(query, values))
        except psycopg.OperationalError:
            if not self._link.closed:
                raise
        self._reconnect()
        return cast("Cursor", self._link.execute(query, values))

    def _send(self, query: bytes = b"", values: Any = ()) -> Cursor:
        """Send what waits, and a statement, in one round trip; the transaction begins with the first."""
        if self._begun and not self._pending:
            return cast("Cursor", self._link.execute(query, values))
        self._reconnect_if_lost()
        cursor = self._link.cursor()
        with self._link.pipeline():
            self._send_waiting()
            if query:
                cursor.execute(query, values)
        return cast("Cursor", cursor)

    def _send_waiting(self) -> None:
        if not self._begun:
            self._begun = True
            self._link.execute(b"BEGIN")
        self._pending.send(self._link)

    def _roll_back(self) -> Cursor:
        begun, self._open, self._begun = self._begun, False, False
        self._pending.clear()
        return cast("Cursor", self._link.execute(b"ROLLBACK") if begun else self._link.cursor())

    def _reconnect_if_lost(self) -> None:
        """Make the link anew where it is known to be lost before a transaction has begun."""
        if not self._begun and self._link.is_lost:
            self._reconnect()

    def _reconnect(self, attempted: str = "") -> None:
        """Make the link anew, unless another engine has written since the last commit, or `attempted`.

        What this engine has in its memory is not the state of the history then, even if it may write again.
        """
        end(self._link)
        if not self._superseded:
            self._link = self._connect()
            self._superseded = self._token is not None and self._last_token() not in {
                self._token,
                attempted,
            }
        if self._superseded:
            end(self._link)
            raise _superseded(self._engine)

    def _commit(self) -> Cursor:
        """Commit with a token, which tells whether a commit whose answer was lost was done."""
        token = secrets.token_hex(16)
        self._reconnect_if_lost()
        try:
            with self._link.pipeline():
                self._send_waiting()
                if self._engine:
                    self._link.execute(_TELL, (token, token, self._engine))
                else:
                    self._link.execute(_TOKEN, (token,))
                done = self._link.execute(b"COMMIT")
            _require_committed(done.statusmessage)
        except psycopg.errors.CheckViolation:
            if not self._engine:
                raise
            self._superseded = True
            raise _superseded(self._engine) from None
        except psycopg.OperationalError as error:
            if not self._link.closed or not self._was_committed(token):
                raise error from None
        self._token = token
        self._open = self._begun = False
        return cast("Cursor", self._link.cursor())

    def _last_token(self) -> str:
        """Return the token of the last commit; of this engine's, where several write."""
        if self._engine:
            found = self._link.execute(b"SELECT token FROM engines WHERE name = %s", (self._engine,))
        else:
            found = self._link.execute(b"SELECT token FROM last_commit")
        row = found.fetchone()
        return str(row[0]) if row else ""

    def _was_committed(self, token: str) -> bool:
        """Return whether a commit was done, as soon as the server can say so.

        To connect is to hold the lock that the lost session held: it has ended, and its commit with it.
        """
        while True:
            try:
                self._reconnect(token)
                return self._last_token() == token
            except (psycopg.Error, OSError):
                if self._closed:
                    raise
                time.sleep(AGAIN_SECONDS)


def _require_committed(answer: str | None) -> None:
    """Check what a COMMIT was answered with: the end of a transaction that an error has ended is no error."""
    if answer != "COMMIT":
        raise psycopg.OperationalError(f"the commit was answered with {answer}")


def _superseded(engine: str) -> HistoryHeldError:
    why = (
        "The other engines have closed what this one ran: it did not answer for too long"
        if engine
        else "Another engine has written the history since the line to PostgreSQL was lost"
    )
    return HistoryHeldError(why, hint="Type: pratique stop, then: pratique serve")
