"""What a person did: which submissions they spoke about, and the events that name them as actor."""

from __future__ import annotations

from engine.history.chain import chain
from engine.history.chain.chain import Record
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.erasing.case import SAID
from engine.models import Event

_SAID_BY = f"""
SELECT DISTINCT subject FROM events
WHERE actor = ? AND type IN ({", ".join("?" * len(SAID))}) ORDER BY subject
"""
_ACTS = f"SELECT {chain.COLUMNS} FROM events WHERE actor = ? AND seq > ? ORDER BY seq LIMIT ?"


def said_by(connection: SqlConnection, author: str) -> tuple[str, ...]:
    """Return the submissions about which a person decided or noted something."""
    return tuple(subject for (subject,) in connection.execute(_SAID_BY, (author, *SAID)))


def acts_of(connection: SqlConnection, name: str, since: int, limit: int) -> tuple[Event, ...]:
    """Return the events after number `since` of which this name is the actor, in order."""
    rows = connection.execute(_ACTS, (name, since, limit))
    return tuple(chain.event_of(Record(*row)) for row in rows)
