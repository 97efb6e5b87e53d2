"""How one of several engines holds the end of the chain: one row, locked until its transaction ends."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from psycopg.errors import LockNotAvailable

from engine.history.store.postgres.link import ServerLink

HELD_SECONDS = 3
"""How long one of several engines may hold the end of the chain without a word."""
HOLD_TRIES = 2
WRITER = "pratique one of several"
"""How the sessions in which several engines write are named."""
_END_SILENT = f"""
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND application_name = '{WRITER}'
AND pid <> pg_backend_pid() AND wait_event = 'ClientRead' AND xact_start IS NOT NULL
AND state_change < clock_timestamp() - interval '{HELD_SECONDS} seconds'
""".encode()
"""Ends the sessions that hold the end of the chain without a word, as those of a stopped process do.

The server's own limit for sessions that are idle does not see those that have sent a pipeline.
"""
_HOLD = "BEGIN; SELECT FROM last_commit FOR UPDATE"
_APPENDED = "; SELECT seq, hash, type FROM events WHERE seq > {:d} ORDER BY seq"
Appended = list[tuple[Any, ...]]
"""Number, hash and type of each record."""


def hold_end(link: ServerLink, known: int | None) -> Appended:
    """Begin a transaction that holds the end; return the records after the one numbered `known`.

    An engine that is silent for too long while it holds the end loses its session.

    Raises:
        psycopg.Error: the server does not answer, or another engine holds the end, and is not silent.
    """
    for _ in range(HOLD_TRIES):
        with suppress(LockNotAvailable):
            return _held(link, known)
        link.execute(b"ROLLBACK")
        link.execute(_END_SILENT)
    return _held(link, known)


def _held(link: ServerLink, known: int | None) -> Appended:
    """Begin, wait for the end, and read what is new: one message, which costs less than a pipeline."""
    statements = _HOLD if known is None else _HOLD + _APPENDED.format(known)
    cursor = link.cursor()
    cursor.execute(statements.encode(), prepare=False)
    while cursor.nextset():
        pass
    return [] if known is None else cursor.fetchall()
