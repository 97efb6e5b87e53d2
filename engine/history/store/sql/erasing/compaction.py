"""Writing the database anew, so that what was erased is in no page, index or log of it."""

from __future__ import annotations

from engine.history.chain import chain
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.erasing.records import ERASED
from engine.history.store.sql.ledger import ENGINE, Ledger

COMPACTED = "history.compacted"
_LAST = "SELECT coalesce(max(seq), 0) FROM events WHERE type = ?"
_COMPACTED = "SELECT data ->> 'erased' FROM events WHERE type = ? ORDER BY seq DESC LIMIT 1"


def compact(ledger: Ledger) -> None:
    """Write the database anew where something was erased since the last time, and record that it was done.

    Called outside of a transaction, which it must not be in.
    """
    erased = waiting(ledger.connection)
    if not erased:
        return
    rewritten = ledger.connection.dialect.purge()
    ledger.begin()
    ledger.append(COMPACTED, "", ENGINE, chain.canonical_data({"erased": erased, "rewritten": rewritten}))
    ledger.commit()


def merge_some(ledger: Ledger, *, begin: bool) -> bool:
    """Take words that were erased out of some pages of the index of texts; return whether there are more."""
    connection = ledger.connection
    return bool(waiting(connection)) and connection.dialect.merge_texts(begin=begin)


def waiting(connection: SqlConnection) -> int:
    """Return the number of the last erasure that compaction has not followed; 0 for none."""
    (erased,) = connection.execute(_LAST, (ERASED,)).fetchone()
    row = connection.execute(_COMPACTED, (COMPACTED,)).fetchone()
    return int(erased) if erased > (int(row[0]) if row else 0) else 0
