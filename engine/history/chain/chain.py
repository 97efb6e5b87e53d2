"""The chain: how a record becomes bytes, and how it is bound to the record before it.

The hash of a record is the SHA-256 over its canonical JSON (RFC 8785), which names the hash before.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from json.encoder import encode_basestring as _quote
from typing import Any, NamedTuple

import rfc8785

from engine.common.text import Untrusted
from engine.history.errors import HistoryError
from engine.models import Event

GENESIS = hashlib.sha256(b"pratique history 5\n").digest()
"""What the first record names as the one before: from its first record on, every end of it is signed."""
UNSIGNED_GENESIS = bytes(32)
"""The same of a history that began in a format whose end, after the last checkpoint, no signature covered."""
_SAFE = 2**53 - 1
_sorted_json = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


class Record(NamedTuple):
    """A row of the table `events`; `data` is canonical JSON."""

    seq: int
    at: str
    type: str
    subject: str
    actor: str
    data: str
    previous: bytes
    hash: bytes


COLUMNS = "seq, at, type, subject, actor, data, previous, hash"


def link(seq: int, previous: bytes, at: str, type: str, subject: str, actor: str, data: str) -> Record:
    """Return the record that follows the one with the hash `previous`."""
    digest = hash_of(seq, at, type, subject, actor, data, previous)
    return Record(seq, at, type, subject, actor, data, previous, digest)


def hash_of(seq: int, at: str, type: str, subject: str, actor: str, data: str, previous: bytes) -> bytes:
    """Return the SHA-256 of the canonical JSON (RFC 8785) of a record whose `data` is canonical already."""
    return hashlib.sha256(json_of(seq, at, type, subject, actor, data, previous)).digest()


def canonical(record: Record) -> bytes:
    """Return the canonical JSON (RFC 8785) of a record, which is what its hash covers."""
    r = record
    return json_of(r.seq, r.at, r.type, r.subject, r.actor, r.data, r.previous)


def json_of(seq: int, at: str, type: str, subject: str, actor: str, data: str, previous: bytes) -> bytes:
    """Return the canonical JSON (RFC 8785) of a record whose `data` is canonical already."""
    return (
        f'{{"actor":{_quote(actor)},"at":{_quote(at)},"data":{data},"previous":"{previous.hex()}",'
        f'"seq":{seq},"subject":{_quote(subject)},"type":{_quote(type)}}}'
    ).encode("utf-8", "surrogatepass")


def canonical_data(data: dict[str, Any]) -> str:
    """Return the canonical JSON of an event's data.

    Raises:
        HistoryError: something in it is no JSON, a number that JSON cannot hold, or no valid Unicode.
    """
    try:
        text = _sorted_json(data) if _is_plain(data) else rfc8785.dumps(data).decode()
        text.encode()
    except (rfc8785.CanonicalizationError, UnicodeError, RecursionError) as error:
        raise HistoryError(f"The event's data cannot be written as JSON: {error}") from None
    return text


def _is_plain(value: object) -> bool:
    """Return whether Python's own, faster encoder writes the same as RFC 8785 requires."""
    kind = value.__class__
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return -_SAFE <= value <= _SAFE  # type: ignore[operator]
    if kind is float:
        return 1e-4 <= abs(value) < 1e15 and value % 1 != 0  # type: ignore[arg-type, operator]
    if kind is dict:
        return all(key.__class__ is str and key.isascii() and _is_plain(item) for key, item in value.items())  # type: ignore[attr-defined]
    return kind is list and all(map(_is_plain, value))  # type: ignore[call-overload]


def stamp(moment: datetime) -> str:
    """Return a moment as it is kept: UTC, microseconds, of one width so that text sorts by time."""
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def event_of(record: Record) -> Event:
    """Return the event of a record."""
    return Event.model_construct(
        seq=record.seq,
        at=datetime.fromisoformat(record.at),
        type=record.type,
        subject=record.subject,
        actor=Untrusted(record.actor),
        data=json.loads(record.data),
        previous=record.previous.hex(),
        hash=record.hash.hex(),
    )
