"""The end of a history that is opened: whether it is the one that was signed, and that the witness knows.

What differs is recorded as an event, so that it stays known: the engine signs what it finds from then on.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.history.chain.chain import UNSIGNED_GENESIS, canonical_data
from engine.history.chain.heads import SignedHead, contradiction_of_end, missing, not_signed, parse_head
from engine.history.errors import HistoryError
from engine.history.store.sql.contradictions import CONTRADICTED, SUBJECT
from engine.history.store.sql.ledger import ENGINE, Ledger
from engine.history.store.sql.tree import genesis, head, signed_head
from engine.history.witness.witness_file import WitnessFile

UPGRADED, REPLACED = "history.upgraded", "history.replaced"


def open_end(ledger: Ledger) -> None:
    """Compare the end with its signature and with the witness, record what differs, and sign.

    The caller has begun a transaction, and commits it.

    Raises:
        HistoryError: the key is not the one that signed the history.
    """
    note = signed_head(ledger.connection)
    _require_key(ledger, note)
    found = [*_unsigned(ledger, note), *_witnessed(ledger)]
    if not found and note is not None:
        ledger.publish(note)
        return
    for type, data in found:
        ledger.append(type, SUBJECT, ENGINE, canonical_data(data))
    if found:
        ledger.checkpoint()


def _require_key(ledger: Ledger, note: str | None) -> None:
    signed = parse_head(note or "")
    if signed and not signed.is_signed_by(ledger.key.public_key()) and signed.key != ledger.public_key:
        raise HistoryError(
            f"The key beside the history is not the one that signed it ({signed.key[:16]}…)",
            hint="Put pratique.key back from a copy, or move the history aside",
        )


def _unsigned(ledger: Ledger, note: str | None) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the event for an end that no signature covers, or another one than there is."""
    size, last = head(ledger.connection)
    if note is None and size == 0:
        return
    if note is None and genesis(ledger.connection) == UNSIGNED_GENESIS and not _was_upgraded(ledger):
        yield UPGRADED, {"records": size, "checked": ledger.checked}
    elif problem := contradiction_of_end(note, size, last, ledger.key.public_key()):
        yield _contradiction(problem, note or "")


def _witnessed(ledger: Ledger) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the event for a witness that knows other records; keep what it says."""
    witness = ledger.witness_file
    if witness is None:
        return
    try:
        kept = witness.newest()
    except OSError as error:
        witness.problem = f"{witness.path} cannot be read: {error.strerror}"
        return
    if kept and (found := _contradicted(ledger, witness, kept)):
        witness.keep(kept)
        yield found


def _contradicted(ledger: Ledger, witness: WitnessFile, kept: str) -> tuple[str, dict[str, object]] | None:
    size, _ = head(ledger.connection)
    known = parse_head(kept)
    if known and known.key != ledger.public_key and size == 0:
        return REPLACED, {"records": known.size, "key": known.key, "at": known.at, "note": kept}
    if known is None or not known.is_signed_by(ledger.key.public_key()):
        return _contradiction(f"the witness {witness.path} knows another history than this one", kept)
    if problem := difference(ledger, known, size):
        return _contradiction(f"{problem}: the witness {witness.path} had {known.size} at {known.at}", kept)
    return None


def difference(ledger: Ledger, known: SignedHead, size: int) -> str:
    """Return what differs between a head and so many records; nothing where they agree."""
    if known.size > size:
        return missing(size + 1, known.size)
    row = ledger.connection.execute("SELECT hash FROM events WHERE seq = ?", (known.size,)).fetchone()
    if row is None or row[0] != known.head:
        return not_signed(known.size)
    return ""


def _was_upgraded(ledger: Ledger) -> bool:
    row = ledger.connection.execute(
        "SELECT 1 FROM events WHERE subject = ? AND type = ?", (SUBJECT, UPGRADED)
    ).fetchone()
    return row is not None


def _contradiction(problem: str, note: str) -> tuple[str, dict[str, object]]:
    return CONTRADICTED, {"problem": problem, "note": note.encode(errors="replace").decode()[:1000]}
