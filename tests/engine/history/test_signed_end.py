"""Every commit ends in a signature: whoever changes the end of the history without the key is found out."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.history.chain import checkpoints
from engine.history.chain.chain import link
from engine.history.chain.heads import HeadSigner, parse_head
from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.sql.tree import head, sign, signed_head
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from tests.engine.history.history_surgery import (
    ALICE,
    SETTINGS,
    cut,
    fill,
    killed,
    opened,
    rechain,
    records,
    snapshot,
    verified,
)

COUNT = 16
"""The events before the kill: a checkpoint covers the first ten, record 11 is its event."""
Surgery = Callable[[SqliteConnection], object]


def other_actor(connection: SqliteConnection) -> None:
    """Put another actor under a record, and compute the chain anew."""
    rechain(connection, 14, actor="mallory")


def other_data(connection: SqliteConnection) -> None:
    """Change what a record says."""
    rechain(connection, 13, data='{"n":99}')


def other_time(connection: SqliteConnection) -> None:
    """Change when the last record was made."""
    rechain(connection, 17, at="2020-01-01T00:00:00.000000Z")


def other_type(connection: SqliteConnection) -> None:
    """Make one kind of record another."""
    rechain(connection, 15, type="claim.released")


def other_subject(connection: SqliteConnection) -> None:
    """Let a record be about another submission."""
    rechain(connection, 15, subject="s1")


def last_removed(connection: SqliteConnection) -> None:
    """Cut the last record off."""
    cut(connection, 16)


def tail_removed(connection: SqliteConnection) -> None:
    """Cut everything off behind the last checkpoint."""
    cut(connection, 11)


def checkpoint_removed_too(connection: SqliteConnection) -> None:
    """Cut back to exactly what the last checkpoint covers."""
    cut(connection, 10)


def middle_removed(connection: SqliteConnection) -> None:
    """Take a record out, close the gap, and compute the chain anew."""
    connection.execute("DELETE FROM events WHERE seq = 14")
    connection.execute("UPDATE events SET seq = seq - 1 WHERE seq > 14")
    rechain(connection, 14) if records(connection, 13) else None
    _relink(connection)


def _relink(connection: SqliteConnection) -> None:
    previous = records(connection, 12)[0][7]
    for row in records(connection, 13):
        record = link(row[0], previous, *row[1:6])
        previous = record.hash
        connection.execute(
            "UPDATE events SET previous = ?, hash = ? WHERE seq = ?", (record.previous, record.hash, row[0])
        )


def appended(connection: SqliteConnection) -> None:
    """Add a record that follows the last one."""
    seq, last = head(connection)
    record = link(seq + 1, last, "2026-11-22T00:00:00.000000Z", "history.viewed", "", "mallory", "{}")
    connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", record)


def signature_removed(connection: SqliteConnection) -> None:
    """Change a record, and take the signature away."""
    other_actor(connection)
    connection.execute("DELETE FROM signed_head")


def signature_emptied(connection: SqliteConnection) -> None:
    """Change a record, and empty the signature."""
    other_actor(connection)
    connection.execute("UPDATE signed_head SET note = ''")


def signature_as_bytes(connection: SqliteConnection) -> None:
    """Put bytes that are no text in the place of the signature."""
    other_actor(connection)
    connection.execute("UPDATE signed_head SET note = CAST(x'ff' AS TEXT)")


def size_moved(connection: SqliteConnection) -> None:
    """Cut the end off, and let the signed head name fewer records."""
    cut(connection, 16)
    note = signed_head(connection) or ""
    sign(connection, note.replace("\n17\n", "\n16\n"))


def checkpoint_as_head(connection: SqliteConnection) -> None:
    """Cut back to a checkpoint, and present its signature as that of the end."""
    (note,) = connection.execute(
        "SELECT data ->> '$.note' FROM events WHERE type = 'history.checkpoint'"
    ).fetchone()
    cut(connection, 10)
    sign(connection, note)


def older_format(connection: SqliteConnection) -> None:
    """Change a record, and claim the format whose ends are not signed."""
    other_actor(connection)
    connection.execute("DROP TABLE signed_head")
    connection.execute("ALTER TABLE blobs ADD COLUMN size INTEGER NOT NULL DEFAULT 1")
    connection.execute("DROP INDEX cases_decided")
    for table in ("fact_values", "facts", "facts_progress"):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("PRAGMA user_version = 4")


SURGERIES = [
    other_actor, other_data, other_time, other_type, other_subject, last_removed, tail_removed,
    checkpoint_removed_too, middle_removed, appended, signature_removed, signature_emptied,
    signature_as_bytes, size_moved, checkpoint_as_head, older_format,
]  # fmt: skip


@pytest.mark.parametrize("surgery", SURGERIES, ids=lambda surgery: surgery.__name__)
@pytest.mark.parametrize("more", [0, 25])
async def test_a_changed_end_is_found(tmp_path: Path, surgery: Surgery, more: int) -> None:
    """What was changed behind the last checkpoint after a kill is found, also once the history grew on."""
    path = await killed(tmp_path, COUNT)
    with opened(path) as connection:
        surgery(connection)
    found = await verified(path, more=more)
    assert (False, True) == (found.intact, bool(found.problem))


@pytest.mark.parametrize("resume", [False, True])
async def test_a_killed_engine_leaves_a_signed_end(tmp_path: Path, resume: bool) -> None:
    """What a killed engine left is intact, and every record of it is signed."""
    path = await killed(tmp_path, COUNT)
    with opened(path) as connection:
        note = parse_head(signed_head(connection) or "")
    assert note is not None
    assert 17 == note.size
    found = await verified(path, resume=resume)
    assert (True, 17, note.key) == (found.intact, found.events, found.key)


async def test_a_changed_end_stays_known_to_the_next_engines(tmp_path: Path) -> None:
    """The engine that finds a changed end records it and says so in Health; later ones still do."""
    path = await killed(tmp_path, COUNT)
    with opened(path) as connection:
        tail_removed(connection)
    for _ in range(3):
        store = await SqliteHistoryStore.open(path, SETTINGS)
        (check,) = store.checks()
        found = await store.verify()
        await store.close()
        assert ("history", False) == (check.name, check.ok)
        assert "records 12 to 17 are missing: the history was signed with 17 at" in found.problem


async def test_another_key_is_refused(tmp_path: Path) -> None:
    """A history does not open with a key that did not sign it, nor makes itself a new one."""
    path = await killed(tmp_path, COUNT)
    key = path.with_suffix(".key")
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(HistoryError, match="is missing, and the history"):
        await SqliteHistoryStore.open(path, SETTINGS)
    signing_key(key)
    with pytest.raises(HistoryError, match="not the one that signed it"):
        await SqliteHistoryStore.open(path, SETTINGS)
    key.write_bytes(kept)
    assert (await verified(path)).intact


async def test_a_history_signed_anew_by_another_key_is_found(tmp_path: Path) -> None:
    """With the key, its public half and the head replaced, the checkpoints in the chain are another's."""
    path = await killed(tmp_path, COUNT)
    for suffix in (".key", ".pub"):
        path.with_suffix(suffix).unlink()
    key = signing_key(path.with_suffix(".key"))
    with opened(path) as connection:
        other_actor(connection)
        sign(connection, HeadSigner(key).note(*head(connection), "2026-11-22T00:00:00.000000Z"))
    found = await verified(path)
    assert not found.intact
    assert "forged" in found.problem


async def test_a_head_of_another_history_is_found(tmp_path: Path) -> None:
    """The signed end of another history of the same key does not fit this one."""
    first, second = tmp_path / "first" / "pratique.db", tmp_path / "second" / "pratique.db"
    for path, count in ((first, 12), (second, 12)):
        if path is second:
            second.parent.mkdir()
            shutil.copy(first.with_suffix(".key"), second.with_suffix(".key"))
        store = await SqliteHistoryStore.open(path, SETTINGS)
        await fill(store, count)
        await store.close()
    with opened(second) as connection:
        note = signed_head(connection)
    with opened(first) as connection:
        sign(connection, note or "")
    found = await verified(first)
    assert (False, True) == (found.intact, "is not the one that was signed" in found.problem)


async def test_records_of_two_histories_do_not_splice(tmp_path: Path) -> None:
    """The beginning of one history and the signed end of another, of the same key, are no history."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, 5)
    await store.close()
    fork = snapshot(path, tmp_path / "fork")
    for one in (path, fork):
        store = await SqliteHistoryStore.open(one, SETTINGS)
        await store.append("history.viewed", "", ALICE, {"fork": one is fork})
        await store.append("history.viewed", "", ALICE, {"same": True})
        await store.close()
    with opened(fork) as connection:
        rows, note = records(connection, 7), signed_head(connection)
    with opened(path) as connection:
        cut(connection, 7)
        connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        sign(connection, note or "")
    assert not (await verified(path)).intact


async def test_a_failed_commit_signs_nothing(tmp_path: Path) -> None:
    """An event that is refused leaves the signed end where it was."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, 3)
    with pytest.raises(ZeroDivisionError):
        await store._writer.do(lambda ledger: 1 // 0)
    await store.append("history.viewed", "", ALICE, {})
    found = await store.verify()
    await store.close()
    assert (True, 4) == (found.intact, found.events)


def test_no_signature_serves_another_purpose() -> None:
    """A checkpoint is no head and a head no checkpoint, though one key signs both."""
    key = Ed25519PrivateKey.generate()
    at, root = "2026-11-22T00:00:00.000000Z", bytes(32)
    note, end = checkpoints.sign(key, 7, root, root, at), HeadSigner(key).note(7, root, at)
    assert (None, None) == (parse_head(note), checkpoints.parse(end))
    forged = parse_head(end.replace("\n7\n", "\n8\n"))
    assert forged is not None
    assert not forged.is_signed_by(key.public_key())
    assert not forged.is_signed_by(Ed25519PrivateKey.generate().public_key())
    assert parse_head(json.dumps(end)) is None
