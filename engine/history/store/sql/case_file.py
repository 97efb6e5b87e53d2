"""The case file: one zip that proves to a third party what happened to a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from engine.history.chain import chain, checkpoints, merkle
from engine.history.chain.chain import Record
from engine.history.errors import HistoryError
from engine.history.exports import case_verify
from engine.history.store.sql import blobs, cases, row_formats, tree
from engine.history.store.sql.connection import SqlConnection
from engine.history.store.sql.queries import artifacts, output_blocks

_BODY = "SELECT body FROM cases JOIN case_states USING (n) WHERE id = ?"
_ERASED_BY = (
    f"SELECT {chain.COLUMNS} FROM events WHERE type = 'history.erased' AND instr(data, ?) > 0 "
    "ORDER BY seq DESC LIMIT 1"
)
VERIFY = Path(case_verify.__file__)


def case_file(connection: SqlConnection, id: str, key: Ed25519PrivateKey) -> bytes:
    """Return the case file of a submission, as a zip.

    Raises:
        HistoryError: there is no such submission, or something of it is missing.
    """
    return _zip(id, dict(_members(connection, id, key)))


def sealed_file(
    connection: SqlConnection, id: str, key: Ed25519PrivateKey, beside: Mapping[str, bytes]
) -> bytes:
    """Return a zip that proves the events of an incident, with these members beside them.

    Raises:
        HistoryError: there is no such incident, or it is too large.
    """
    records = _records(connection, id)
    readme = case_verify.INCIDENT_README.format(id=id).encode()
    return _zip(id, {"README.txt": readme, **dict(_proved(connection, records, [], key)), **beside})


def _zip(id: str, members: Mapping[str, bytes]) -> bytes:
    if len(members) > case_verify.MOST_MEMBERS or sum(map(len, members.values())) > case_verify.MOST_BYTES:
        raise HistoryError(f"{id} is too large for a case file", hint=f"Type: pratique audit timeline {id}")
    return case_verify.packed(members)


def _members(connection: SqlConnection, id: str, key: Ed25519PrivateKey) -> Iterator[tuple[str, bytes]]:
    records = _records(connection, id)
    left = dict(_contents(connection, id))
    rules = _rules(connection, [digest for digest, content in left.values() if content is None])
    yield "README.txt", case_verify.README.format(id=id).encode()
    yield from _proved(connection, records, _registrations(connection, records), key, rules)
    yield from _case(connection, id)
    yield from ((name, content) for name, (_, content) in left.items() if content is not None)


def _contents(connection: SqlConnection, id: str) -> Iterator[tuple[str, tuple[str, bytes | None]]]:
    """Yield the members that output and artifacts are, each with its digest; None for what was erased."""
    parts = [blobs.get(connection, block.digest) for block in output_blocks(connection, id)]
    for number, block in enumerate(output_blocks(connection, id)):
        if parts[number] is None:
            yield f"output {number}", (block.digest, None)
    if any(part is not None for part in parts):
        yield "output", ("", b"".join(part or b"" for part in parts))
    for digest in dict.fromkeys(one.digest for one in artifacts(connection, id)):
        yield f"artifacts/{digest}", (digest, blobs.get(connection, digest))
    for number, digest in enumerate(_digests(connection, id)):
        name = f"case/files/{number}" if number else "case/code"
        yield name, (digest, blobs.get(connection, digest))


def _digests(connection: SqlConnection, id: str) -> list[str]:
    """Return the digests of the code and the input files of a case."""
    row = connection.execute(_BODY, (id,)).fetchone()
    return cases.contents_of(blobs.unpack(row[0])) if row else []


def _rules(connection: SqlConnection, gone: list[str]) -> list[Record]:
    """Return the records by which rules of retention erased these contents, among others.

    Raises:
        HistoryError: one was erased without a record.
    """
    found: dict[int, Record] = {}
    for digest in gone:
        row = connection.execute(_ERASED_BY, (f'"{digest}"',)).fetchone()
        if row is None:
            raise HistoryError(f"The content {digest} is missing", hint="Type: pratique audit verify")
        if not row[3]:
            found[row[0]] = Record(*row)
    return [found[seq] for seq in sorted(found)]


def _proved(
    connection: SqlConnection,
    records: list[Record],
    keys: list[Record],
    key: Ed25519PrivateKey,
    erasures: Sequence[Record] = (),
) -> Iterator[tuple[str, bytes]]:
    """Yield the events, and what proves them."""
    last = max(record.seq for record in (*records, *erasures))
    note, size = _tree_head(connection, last, key)
    before = {
        str(record.seq): record.hash.hex()
        for record in records
        if chain.hash_of(*record[:6], record.previous) != record.hash
    }
    yield "verify.py", VERIFY.read_bytes()
    yield "public_key.pem", key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    yield "checkpoint.txt", note.encode()
    yield "events.jsonl", _lines(records)
    if keys:
        yield "keys.jsonl", _lines(keys)
    if before:
        yield "erased.json", chain.canonical_data(before).encode()
    if erasures:
        yield "erasures.jsonl", _lines([*erasures])
    proofs = _proofs(connection, [*records, *keys, *erasures], size)
    yield "proofs.json", chain.canonical_data(proofs).encode()


def _records(connection: SqlConnection, id: str) -> list[Record]:
    rows = connection.execute(f"SELECT {chain.COLUMNS} FROM events WHERE subject = ? ORDER BY seq", (id,))
    records = [Record(*row) for row in rows]
    if not id or not records:
        raise HistoryError(f"No submission is called {id!r}", hint="Type: pratique audit search")
    return records


def _registrations(connection: SqlConnection, records: list[Record]) -> list[Record]:
    """Return the records that register the keys of those who decided in these records, before they did."""
    decided = {record.actor: record.seq for record in records if record.type.startswith("decision.")}
    rows = connection.execute(
        f"SELECT {chain.COLUMNS}, data ->> 'name' FROM events "
        "WHERE subject = 'reviewers' AND type = 'reviewer.registered' ORDER BY seq"
    )
    return [Record(*row) for *row, name in rows if row[0] < decided.get(name, 0)]


def _lines(records: list[Record]) -> bytes:
    return b"".join(chain.canonical(record) + b"\n" for record in records)


def _tree_head(connection: SqlConnection, seq: int, key: Ed25519PrivateKey) -> tuple[str, int]:
    """Return the first checkpoint that covers the record `seq`, or one over all records, made for this."""
    row = connection.execute(
        "SELECT data ->> 'note', seq - 1 FROM events "
        "WHERE type = 'history.checkpoint' AND seq > ? ORDER BY seq LIMIT 1",
        (seq,),
    ).fetchone()
    if row:
        return row[0], row[1]
    size, last = tree.head(connection)
    root = tree.root(connection, 0, size)
    return checkpoints.sign(key, size, root, last, chain.stamp(datetime.now(UTC))), size


def _proofs(connection: SqlConnection, records: list[Record], size: int) -> dict[str, list[str]]:
    @cache
    def roots(start: int, end: int) -> bytes:
        return tree.root(connection, start, end)

    return {
        str(record.seq): [step.hex() for step in merkle.inclusion(record.seq - 1, size, roots)]
        for record in records
    }


def _case(connection: SqlConnection, id: str) -> Iterator[tuple[str, bytes]]:
    names = row_formats.current().columns
    row = connection.execute(
        f"SELECT format, body, {', '.join(names)} FROM cases JOIN case_states USING (n) WHERE id = ?", (id,)
    ).fetchone()
    if row is None:
        raise HistoryError(
            f"{id} was never classified: there is no case", hint=f"Type: pratique audit timeline {id}"
        )
    number, packed, *columns = row
    body, form = blobs.unpack(packed), row_formats.FORMATS[number]
    yield "case/state.json", body
    yield "case/columns.json", form.columns_json(form.values(dict(zip(names, columns, strict=True))))
