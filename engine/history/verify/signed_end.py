"""Whether the end of the history is signed, and what its own records say about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.history.chain.chain import UNSIGNED_GENESIS
from engine.history.chain.heads import SignedHead, parse_head
from engine.history.verify.checkpoint_check import Witnessed
from engine.history.verify.source import HistoryEnd
from engine.history.verify.stored_data import Mismatch, fields

CONTRADICTED = "history.contradicted"
Notice = tuple[int, str, str]
"""Number, type and data of a record about the history itself."""


def valid_head(end: HistoryEnd, key: Ed25519PublicKey) -> SignedHead | None:
    """Return the signed head of a history where the key has signed it."""
    head = parse_head(end.note or "")
    return head if head and head.is_signed_by(key) else None


def end_problems(end: HistoryEnd, head: SignedHead | None, notices: Sequence[Notice]) -> Iterator[Mismatch]:
    """Yield what is wrong with the end of a history whose records follow one another."""
    for seq, type, data in notices:
        if type == CONTRADICTED:
            yield seq, str(fields(data).get("problem"))
    if not end.size and end.note is None:
        return
    if head is None:
        yield end.size, f"the last of {end.size} records is not signed by this engine"
    elif head.size < end.size:
        yield head.size + 1, f"record {head.size + 1} was inserted: it is behind the signed end"
    elif head.size > end.size:
        yield end.size + 1, f"record {end.size + 1} was removed: {head.size} records were signed at {head.at}"
    if end.genesis == UNSIGNED_GENESIS and not any(type == "history.upgraded" for _, type, _ in notices):
        yield 1, "record 1 was changed: it began a history of an older format, and none was upgraded"


def with_earlier(problem: str, notices: Sequence[Notice]) -> str:
    """Return a problem, with what had been noticed when the history was opened."""
    known = next((fields(data).get("problem") for _, type, data in notices if type == CONTRADICTED), None)
    return problem if not known or known == problem else f"{problem}; when it was opened, {known}"


def unrecorded(outside: Sequence[Witnessed], notices: Sequence[Notice]) -> list[Witnessed]:
    """Return what witnesses say, but for what the history itself has recorded as contradicting it."""
    recorded = {parse_head(str(fields(data).get("note"))) for _, _, data in notices} - {None}
    return [one for one in outside if one.note not in recorded]


def reservations(notices: Sequence[Notice], unregistered: int) -> Iterator[str]:
    """Yield what is not proven of this history, in words.

    `unregistered` approvals were given before any key was registered.
    """
    if unregistered:
        yield f"{unregistered:,} approvals are from before any reviewer's key was registered"
    for seq, type, data in notices:
        said = fields(data)
        if type == "history.upgraded":
            yield from _older(seq, int(said.get("checked") or 0), int(said.get("records") or 0))
        elif type == "history.replaced":
            known = f"{said.get('records')} records until {said.get('at')}"
            yield f"a witness knew another history here, of {known}"


def _older(seq: int, checked: int, records: int) -> Iterator[str]:
    """Say what is proven of records that were there before ends were signed."""
    yield f"records 1 to {records} are of a format without signed ends: checkpoints prove the first {checked}"
    if records > checked + 1:
        yield f"records {checked + 1} to {records} were signed when the format was upgraded, in record {seq}"
