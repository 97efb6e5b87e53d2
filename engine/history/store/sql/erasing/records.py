"""Records whose texts were erased: what is left of them, and the later records that say so."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.history.chain import chain
from engine.history.chain.chain import Record
from engine.history.store.sql.blobs import digest_of
from engine.history.store.sql.connection import SqlConnection
from engine.models import Event

ERASED = "history.erased"
_ERASURES = f"SELECT seq, data FROM events WHERE type = '{ERASED}' ORDER BY seq"
_OF = f"SELECT {chain.COLUMNS} FROM events WHERE subject = ? AND type != '{ERASED}' ORDER BY seq"

_LATEST = f"SELECT {chain.COLUMNS} FROM events WHERE type = '{ERASED}' AND seq < ? ORDER BY seq DESC LIMIT ?"
_BEYOND = 2**63 - 1
"""No event has that number."""

Redact = Callable[[Record, dict[str, Any]], dict[str, Any]]
"""Returns the data of a record without what is to be erased."""


def erased_records(connection: SqlConnection) -> dict[int, str]:
    """Return the numbers of the records whose texts were erased, and the SHA-256 of what is left of each."""
    found: dict[int, str] = {}
    for seq, data in connection.execute(_ERASURES):
        records = json.loads(data).get("records") or {}
        found |= {int(number): digest for number, digest in records.items() if int(number) < seq}
    return found


def erasure_events(connection: SqlConnection, before: int | None, limit: int) -> tuple[Event, ...]:
    """Return the events of erasures before an event's number, the newest first."""
    rows = connection.execute(_LATEST, (_BEYOND if before is None else before, limit))
    return tuple(chain.event_of(Record(*row)) for row in rows)


def records_of(connection: SqlConnection, subject: str) -> list[Record]:
    """Return the records of a subject from which texts can be erased."""
    return [Record(*row) for row in connection.execute(_OF, (subject,)).fetchall()]


def redacted(records: Iterable[Record], redact: Redact) -> Iterator[Record]:
    """Yield what is left of each record that has something to erase; its hash stays that of the whole."""
    for record in records:
        left = chain.canonical_data(redact(record, json.loads(record.data)))
        if left != record.data:
            yield record._replace(data=left)


def write_redacted(connection: SqlConnection, records: Iterable[Record]) -> dict[str, str]:
    """Put what is left in the place of records, and return its SHA-256 by their numbers."""
    digests: dict[str, str] = {}
    for record in records:
        connection.execute("UPDATE events SET data = ? WHERE seq = ?", (record.data, record.seq))
        digests[str(record.seq)] = digest_of(chain.canonical(record))
    return digests
