"""Erasing the texts of one case: its contents, what its records say, and the case itself.

What is erased is recorded in the same transaction; the case stays, with what has no text.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from engine.common.text import visible
from engine.history.chain import chain
from engine.history.chain.chain import Record
from engine.history.erasing.redaction import said_nothing, without_texts, without_words_of
from engine.history.errors import HistoryError
from engine.history.store.sql import blobs, row_formats
from engine.history.store.sql.cases import EncodedCase
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.erasing.erasures import contents
from engine.history.store.sql.erasing.records import Redact, records_of, redacted, write_redacted
from engine.history.store.sql.erasing.retention import forget_content
from engine.history.store.sql.facts import index as facts_index
from engine.history.store.sql.ledger import Ledger
from engine.history.verify.stored_data import STATE
from engine.models import OPEN, Case
from engine.models.erasing.erasure import Erased, ErasureOrder

SAID = ("decision.made", "decision.first_approval", "note.added")
"""Records that hold what a reviewer or responder said about a case."""
_CASE = "SELECT n, status, body, {} FROM cases JOIN case_states USING (n) WHERE id = ?"
EVERYTHING, WORDS = "everything", "words"
"""The scope of an erasure: all of a case, or what one person said about it."""
_CONTENT = f"""
SELECT n, body FROM blobs WHERE digest = ? AND body IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM case_blobs JOIN cases ON cases.n = case_n
    WHERE blob = blobs.n AND case_n != ? AND NOT EXISTS (
        SELECT 1 FROM events WHERE subject = cases.id AND type = 'history.erased'
        AND data ->> 'scope' = '{EVERYTHING}'
    )
)
"""
"""A content, unless another case has it of which not everything was erased."""
_QUOTING = {"first_line": ""}
"""The columns that quote code, and what is left of them where all of a case is erased."""


class _Stored(NamedTuple):
    """A case as it is on disk."""

    number: int
    body: bytes
    columns: dict[str, Any]


def erasable(connection: SqlConnection, id: str, order: ErasureOrder) -> Erased:
    """Return what an erasure of this case would erase, and erase nothing.

    Raises:
        HistoryError: there is no such case, or it is not over.
    """
    stored = _stored(connection, id)
    found = _contents(connection, id, stored) if order.whole else []
    records = list(redacted(records_of(connection, id), _redaction(order)))
    return Erased(categories=_counted(found, records), case_changes=_left(stored, order) != stored.body)


def erase_case(ledger: Ledger, id: str, actor: str, order: ErasureOrder) -> Erased:
    """Erase the texts of a case, record what was erased, and return it; nothing is recorded of nothing.

    Raises:
        HistoryError: there is no such case, or it is not over.
    """
    connection = ledger.connection
    ledger.flush_output(id)
    erased = erasable(connection, id, order)
    if not erased:
        return erased
    stored = _stored(connection, id)
    found = _contents(connection, id, stored) if order.whole else []
    records = write_redacted(connection, redacted(records_of(connection, id), _redaction(order)))
    for _, digest, number, body in found:
        forget_content(connection, number, digest, body)
    case = _encoded(stored, _left(stored, order), whole=order.whole)
    data = {
        "rule": order.rule,
        "scope": EVERYTHING if order.whole else WORDS,
        "reason": order.reason.text,
        "digests": [digest for _, digest, _, _ in found],
        "records": records,
        "categories": dict(erased.categories),
        STATE: case.sha256,
    }
    ledger.append("history.erased", id, actor, chain.canonical_data(data), case)
    facts_index.refresh(connection, stored.number)
    return erased


def _stored(connection: SqlConnection, id: str) -> _Stored:
    names = row_formats.current().columns
    row = connection.execute(_CASE.format(", ".join(names)), (id,)).fetchone()
    if row is None:
        raise HistoryError(f"There is no submission {visible(id)}", hint="Type: pratique audit search")
    number, status, body, *columns = row
    if status in {one.value for one in OPEN}:
        raise HistoryError(f"{id} is not over: it is {status}", hint="Erase it once it is over")
    return _Stored(number, blobs.unpack(body), dict(zip(names, columns, strict=True)))


def _redaction(order: ErasureOrder) -> Redact:
    """Return how the records of a case are emptied."""

    def words(record: Record, data: dict[str, Any]) -> Mapping[str, Any]:
        if order.whole:
            return without_texts(data)
        return said_nothing(data) if record.type in SAID and record.actor == order.author.text else data

    return lambda record, data: dict(words(record, data))


def _contents(connection: SqlConnection, id: str, stored: _Stored) -> list[tuple[str, str, int, bytes]]:
    """Return what is stored of a case and is no other's: what it is, its digest, number and packed bytes."""
    found: dict[str, tuple[str, str, int, bytes]] = {}
    for what, digest, _ in contents(connection, id):
        row = connection.execute(_CONTENT, (bytes.fromhex(digest), stored.number)).fetchone()
        if row:
            found.setdefault(digest, (what, digest, *row))
    return list(found.values())


def _counted(found: Iterable[tuple[str, str, int, bytes]], records: Iterable[Record]) -> dict[str, int]:
    """Return how much there is of each kind: contents by what they are, records by their type."""
    counts = Counter(what for what, _, _, _ in found)
    counts.update(record.type for record in records)
    return dict(counts)


def _left(stored: _Stored, order: ErasureOrder) -> bytes:
    """Return what is left of the stored case.

    Raises:
        HistoryError: what would be left is no case: a fault of this program, and nothing is erased.
    """
    whole = json.loads(stored.body)
    left = without_texts(whole) if order.whole else without_words_of(order.author.text, whole)
    if left == whole:
        return stored.body
    body = json.dumps(left, ensure_ascii=False, separators=(",", ":")).encode()
    try:
        Case.model_validate_json(body)
    except ValueError as error:
        raise HistoryError(f"What would be left is no case ({type(error).__name__})") from None
    return body


def _encoded(stored: _Stored, body: bytes, *, whole: bool) -> EncodedCase:
    form = row_formats.current()
    listed = {**stored.columns, **_QUOTING} if whole else stored.columns
    columns = form.values(listed)
    return EncodedCase(columns, body, form.digest(columns, body), ())
