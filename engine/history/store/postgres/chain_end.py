"""How one of several engines holds the end of the chain: one row, locked until its transaction ends."""

from __future__ import annotations

from contextlib import suppress

from psycopg.errors import LockNotAvailable

from engine.history.store.postgres.link import ServerLink
from engine.history.store.sql.connection import EndRecord, HeldEnd

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
_NOTE = "; SELECT note FROM signed_head"
_RECORDS = "; SELECT seq, previous, hash, type FROM events WHERE seq >= {:d} ORDER BY seq"


def hold_end(link: ServerLink, known: int | None) -> HeldEnd | None:
    """Begin a transaction that holds the end; return the end from the record numbered `known` on.

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


def _held(link: ServerLink, known: int | None) -> HeldEnd | None:
    """Begin, wait for the end, and read it: one message, which costs less than a pipeline."""
    cursor = link.cursor()
    if known is None:
        cursor.execute(_HOLD.encode(), prepare=False)
        return None
    cursor.execute(f"{_HOLD}{_NOTE}{_RECORDS.format(known)}".encode(), prepare=False)
    _, _, notes, records = (cursor.fetchall() if one.description else [] for one in cursor.results())
    return HeldEnd([EndRecord(*row) for row in records], notes[0][0] if notes else None)
