"""Signed checkpoints outside the database find what the chain alone cannot."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.common.text import Untrusted
from engine.history.chain import chain, checkpoints
from engine.history.chain.merkle import Frontier
from engine.history.chain.signing_key import signing_key
from engine.history.errors import HistoryError
from engine.history.store.sql import tree
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sqlite.connect import open_reader
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.verify import verifier
from engine.history.witness import checkpoint_file
from engine.models import Verification
from engine.settings import HistorySettings

ALICE = Untrusted("alice")


@pytest.fixture
def settings() -> HistorySettings:
    """A checkpoint after every tenth record."""
    return HistorySettings(batch_milliseconds=5, checkpoint_events=10)


async def write(path: Path, settings: HistorySettings, count: int) -> None:
    """Open the history, append so many events, close it."""
    log = await SqliteHistoryStore.open(path, settings)
    for number in range(count):
        await log.append("history.viewed", "", ALICE, {"n": number})
    await log.close()


async def verify(path: Path, settings: HistorySettings) -> Verification:
    """Return what verify says."""
    log = await SqliteHistoryStore.open(path, settings)
    try:
        return await log.verify()
    finally:
        await log.close()


def witness(path: Path) -> Path:
    """Return the checkpoint file of a history."""
    return path.with_name(path.name + ".checkpoints")


def copy_database(path: Path, to: Path) -> None:
    """Copy a closed database."""
    shutil.copy(path, to)


async def test_a_history_is_verified_while_it_is_written(path: Path, settings: HistorySettings) -> None:
    """A checkpoint that came after the file was read is no removed one; one that is not in it later is."""
    await write(path, settings, 15)
    before = checkpoint_file.notes(witness(path))
    await write(path, settings, 15)
    after = checkpoint_file.notes(witness(path))
    key = signing_key(path.with_suffix(".key")).public_key()
    with contextlib.closing(open_reader(path, lambda: False)) as connection:
        found = [
            verifier.verify(SqlSource(connection, path), before, key, later=later).intact
            for later in (lambda: after, lambda: before)
        ]
    assert [True, False] == found


async def test_checkpoints_agree(path: Path, settings: HistorySettings) -> None:
    """Every ten records and at each close there is a checkpoint, and all agree."""
    await write(path, settings, 25)
    await write(path, settings, 3)
    sizes = [checkpoints.parse(json.loads(line)).size for line in witness(path).read_text().splitlines()]  # type: ignore[union-attr]
    assert [10, 20, 27, 31] == sizes
    found = await verify(path, settings)
    assert (32, True, 4) == (found.events, found.intact, found.checkpoints)


async def test_verify_goes_on_from_the_last_checkpoint(path: Path, settings: HistorySettings) -> None:
    """A resumed verification reads what came after the last checkpoint, and finds what is wrong there."""
    await write(path, settings, 25)
    log = await SqliteHistoryStore.open(path, settings)
    for number in range(5):
        await log.append("history.viewed", "", ALICE, {"n": number})
    told: list[int] = []
    assert (await log.verify(lambda done, total: told.append(done), resume=True)).intact
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq IN (3, 31)")
    connection.close()
    found = [(await log.verify(resume=resume)).seq for resume in (True, False)]
    await log.close()
    assert [31, 3] == found


async def test_resuming_trusts_no_checkpoint_that_does_not_fit(path: Path, settings: HistorySettings) -> None:
    """Where the records are not those of the last checkpoint, all are read."""
    await write(path, settings, 25)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET hash = zeroblob(32) WHERE seq = 12")
    connection.close()
    log = await SqliteHistoryStore.open(path, settings)
    found = await log.verify(resume=True)
    await log.close()
    assert (False, 12) == (found.intact, found.seq)


async def test_nothing_new_makes_no_checkpoint(path: Path, settings: HistorySettings) -> None:
    """Opening and closing does not let the history grow."""
    await write(path, settings, 5)
    before = witness(path).read_bytes()
    await write(path, settings, 0)
    assert before == witness(path).read_bytes()
    assert 6 == (await verify(path, settings)).events


async def test_empty_history_is_intact(path: Path, settings: HistorySettings) -> None:
    """No records and no checkpoints are intact."""
    await write(path, settings, 0)
    assert Verification(events=0, intact=True) == await verify(path, settings)


async def test_cut_tail_is_found(path: Path, settings: HistorySettings) -> None:
    """Records cut off the end are missed by the checkpoint that covers them."""
    await write(path, settings, 25)
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM events WHERE seq > 15")
    connection.close()
    found = await verify(path, settings)
    assert (False, 16) == (found.intact, found.seq)
    assert found.problem.startswith("records 16 to 28 are missing: the history was signed with 28 at ")


async def test_older_copy_is_found(path: Path, settings: HistorySettings, tmp_path: Path) -> None:
    """An older copy in the place of the whole database is found, even though it is intact in itself."""
    await write(path, settings, 12)
    shutil.copy(path, tmp_path / "older.db")
    await write(path, settings, 12)
    shutil.copy(tmp_path / "older.db", path)
    found = await verify(path, settings)
    assert (False, 15) == (found.intact, found.seq)
    assert "record 15 was removed" in found.problem


async def test_older_copy_written_on_is_found(path: Path, settings: HistorySettings, tmp_path: Path) -> None:
    """An older copy that was put in place and then grew past the checkpoints is found too."""
    await write(path, settings, 12)
    shutil.copy(path, tmp_path / "older.db")
    await write(path, settings, 12)
    shutil.copy(tmp_path / "older.db", path)
    await write(path, settings, 50)
    found = await verify(path, settings)
    assert (False, 23) == (found.intact, found.seq)
    assert "the first 23 records are not those of the checkpoint at" in found.problem


async def test_rewritten_chain_is_found(path: Path, settings: HistorySettings) -> None:
    """A chain that was computed anew from a changed record on fits in itself, and not its checkpoints."""
    await write(path, settings, 9)
    await write(path, settings, 5)
    with sqlite3.connect(path) as connection:
        previous = chain.GENESIS
        for row in connection.execute(f"SELECT {chain.COLUMNS} FROM events ORDER BY seq").fetchall():
            data = row[5].replace('"n":3', '"n":99')
            at, kind, subject, actor = row[1:5]
            record = chain.link(row[0], previous, at, kind, subject, actor, data)
            previous = record.hash
            connection.execute(
                "UPDATE events SET data = ?, previous = ?, hash = ? WHERE seq = ?",
                (data, record.previous, record.hash, row[0]),
            )
    connection.close()
    found = await verify(path, settings)
    assert (False, 9) == (found.intact, found.seq)


async def test_forged_checkpoint_is_found(path: Path, settings: HistorySettings) -> None:
    """A checkpoint that another key signed is named, in the file and in the chain."""
    await write(path, settings, 15)
    first, second = witness(path).read_text().splitlines()
    real = checkpoints.parse(json.loads(second))
    assert real is not None
    forged = checkpoints.sign(Ed25519PrivateKey.generate(), real.size, real.root, real.head, real.at)
    witness(path).write_text(f"{first}\n{json.dumps(forged)}\n")
    found = await verify(path, settings)
    assert (False, 16, "the checkpoint of 16 records was forged: not signed by this engine") == (
        found.intact,
        found.seq,
        found.problem,
    )


async def test_bent_checkpoint_is_found(path: Path, settings: HistorySettings) -> None:
    """A checkpoint whose text was changed under its signature is a forgery."""
    await write(path, settings, 15)
    text = witness(path).read_text()
    witness(path).write_text(text.replace("\\n10\\n", "\\n11\\n"))
    found = await verify(path, settings)
    assert not found.intact


async def test_line_that_is_no_checkpoint_is_found(path: Path, settings: HistorySettings) -> None:
    """Rubbish in the checkpoint file is named by its line."""
    await write(path, settings, 15)
    with witness(path).open("a") as file:
        file.write("rubbish\n")
    assert "line 3 of the checkpoint file is no checkpoint" == (await verify(path, settings)).problem


async def test_removed_checkpoint_is_found(path: Path, settings: HistorySettings) -> None:
    """A line taken out of the checkpoint file is missed."""
    await write(path, settings, 25)
    lines = witness(path).read_text().splitlines(keepends=True)
    witness(path).write_text("".join(lines[1:]))
    assert "the checkpoint of 10 records was removed from the checkpoint file" == (
        (await verify(path, settings)).problem
    )


async def test_checkpoint_lost_in_a_crash_is_written_again(path: Path, settings: HistorySettings) -> None:
    """A crash between the database and the file leaves no gap: the next start fills it."""
    await write(path, settings, 25)
    lines = witness(path).read_text().splitlines(keepends=True)
    witness(path).write_text("".join(lines[:-1]))
    found = await verify(path, settings)
    assert (28, True, 3) == (found.events, found.intact, found.checkpoints)
    assert "".join(lines) == witness(path).read_text()


async def test_unwritable_checkpoint_file_loses_nothing(path: Path, settings: HistorySettings) -> None:
    """While the checkpoint file cannot be written, checkpoints wait, and are written once it can be."""
    log = await SqliteHistoryStore.open(path, settings)
    witness(path).mkdir()
    for number in range(25):
        await log.append("history.viewed", "", ALICE, {"n": number})
    witness(path).rmdir()
    await log.append("history.viewed", "", ALICE, {})
    await log.close()
    assert (True, 3) == ((v := await verify(path, settings)).intact, v.checkpoints)


async def test_key_is_private_and_stays(path: Path, settings: HistorySettings) -> None:
    """The key is made once, readable by its owner alone."""
    await write(path, settings, 1)
    key = path.with_suffix(".key")
    before = key.read_bytes()
    await write(path, settings, 1)
    assert before == key.read_bytes()
    assert 0o600 == stat.S_IMODE(key.stat().st_mode)
    assert b"PUBLIC KEY" in path.with_suffix(".pub").read_bytes()


async def test_broken_key_is_an_error_in_words(path: Path, settings: HistorySettings) -> None:
    """A file that is no key is named, and not overwritten."""
    path.parent.mkdir()
    path.with_suffix(".key").write_text("rubbish")
    with pytest.raises(HistoryError, match="is no Ed25519 key"):
        await SqliteHistoryStore.open(path, settings)
    assert "rubbish" == path.with_suffix(".key").read_text()


async def test_tree_is_loaded_from_stored_subtrees(path: Path) -> None:
    """After a restart the tree goes on from stored subtrees, with the root of all records."""
    settings = HistorySettings(batch_milliseconds=5, checkpoint_events=100_000)
    log = await SqliteHistoryStore.open(path, settings)
    for number in range(2 << 10):
        await log.append("history.viewed", "", ALICE, {"n": number}, durable=False)
    await log.append("history.viewed", "", ALICE, {})
    hashes = [bytes.fromhex(event.hash) for event in await log.read.events(limit=10_000)]
    loaded = await log._connections.do(lambda connection: tree.load(connection, len(hashes)))
    await log.close()
    grown = Frontier()
    for hash_ in hashes:
        grown.add(hash_)
    assert grown == loaded
