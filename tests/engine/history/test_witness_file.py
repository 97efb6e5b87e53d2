"""A second file outside the state folder shows that records were lost or cut off, and says what it is."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.history.chain.heads import HeadSigner, parse_head
from engine.history.chain.signing_key import signing_key
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.witness.witness_file import BLOCK, WitnessFile
from tests.engine.history.history_surgery import (
    ALICE,
    MALLORY,
    SETTINGS,
    fill,
    killed,
    opened,
    rechain,
    snapshot,
    verified,
)

COUNT = 16
Loss = Callable[[Path], object]


@pytest.fixture
def witness(tmp_path: Path) -> Path:
    """Return where the witness file of a test lies: in a folder that is not there yet."""
    return tmp_path / "elsewhere" / "witness" / "abc.heads"


def log_removed(path: Path) -> None:
    """Take the write-ahead log away."""
    wal(path).unlink()


def log_emptied(path: Path) -> None:
    """Empty the write-ahead log."""
    wal(path).write_bytes(b"")


def log_header_damaged(path: Path) -> None:
    """Overwrite the header of the write-ahead log."""
    overwrite(wal(path), 0, b"\x00" * 32)


def log_first_frame_damaged(path: Path) -> None:
    """Overwrite a part of the first frame, so that SQLite takes none."""
    overwrite(wal(path), 32 + 24 + 100, b"\xff" * 64)


def log_cut(path: Path) -> None:
    """Cut the write-ahead log in its middle."""
    content = wal(path).read_bytes()
    wal(path).write_bytes(content[: len(content) // 2])


def log_last_frame_cut(path: Path) -> None:
    """Cut the last page of the last commit off."""
    content = wal(path).read_bytes()
    wal(path).write_bytes(content[:-100])


def log_salt_changed(path: Path) -> None:
    """Change the salt of the last frames' generation."""
    overwrite(wal(path), 16, b"\x01\x02\x03\x04")


def wal(path: Path) -> Path:
    """Return the write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def overwrite(path: Path, place: int, content: bytes) -> None:
    """Put other bytes into a file."""
    with path.open("r+b") as file:
        file.seek(place)
        file.write(content)


LOSSES = [
    log_removed, log_emptied, log_header_damaged, log_first_frame_damaged, log_cut, log_last_frame_cut,
    log_salt_changed,
]  # fmt: skip


async def history_with_log(folder: Path, witness: Path) -> Path:
    """Return what a killed engine leaves: events in the database, and later ones in the log alone."""
    path = folder / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, 5)
    await store.close()
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, COUNT)
    kept = witness.read_bytes()
    copy = snapshot(path, folder / "killed")
    await store.close()
    witness.write_bytes(kept)
    return copy


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.__name__)
@pytest.mark.parametrize("more", [0, 40])
async def test_a_lost_write_ahead_log_is_found(tmp_path: Path, witness: Path, loss: Loss, more: int) -> None:
    """Records that were only in a log that is gone, or damaged, are missed, also once the history grew on."""
    path = await history_with_log(tmp_path, witness)
    loss(path)
    found = await verified(path, witness, more=more)
    assert not found.intact
    assert f" missing: the witness {witness} had " in found.problem


async def test_without_a_witness_a_lost_log_is_not_shown_and_that_is_said(tmp_path: Path) -> None:
    """The database alone cannot show that its newest records are gone: verify says that nothing does."""
    path = await history_with_log(tmp_path, tmp_path / "unused")
    log_removed(path)
    checkpoints = path.with_name(path.name + ".checkpoints")
    checkpoints.write_text(checkpoints.read_text().splitlines(keepends=True)[0])
    found = await verified(path)
    assert found.intact
    assert "that no later ones were cut off is shown by nothing" in found.statement


@pytest.mark.parametrize("more", [0, 40])
async def test_an_older_copy_is_found(tmp_path: Path, witness: Path, more: int) -> None:
    """All files of the state folder cut back to an earlier signed end are contradicted by the witness."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, 12)
    older = snapshot(path, tmp_path / "older")
    await fill(store, 12)
    await store.close()
    found = await verified(older, witness, more=more)
    assert (False, True) == (found.intact, "are missing: the witness" in found.problem)


async def test_a_fork_is_found(tmp_path: Path, witness: Path) -> None:
    """A copy that was written on, elsewhere, past the length that the witness knows is not what it knows."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, 12)
    fork = snapshot(path, tmp_path / "fork")
    await store.append("history.viewed", "", ALICE, {})
    await store.close()
    assert (await verified(fork, more=20)).intact
    found = await verified(fork, witness)
    assert (False, True) == (found.intact, "is not the one that was signed: the witness" in found.problem)


async def test_what_contradicts_stays_in_the_file(tmp_path: Path, witness: Path) -> None:
    """The head that contradicts a history is kept, though the newest one takes its place."""
    path = await history_with_log(tmp_path, witness)
    before = WitnessFile(witness).newest()
    log_removed(path)
    await verified(path, witness)
    newest, kept = WitnessFile(witness).heads()
    assert newest is not None
    assert kept == parse_head(before)
    with opened(path) as connection:
        connection.execute("DELETE FROM events WHERE type = 'history.contradicted'")
    assert not (await verified(path, witness)).intact


async def test_an_empty_history_in_the_place_of_another_says_so(tmp_path: Path, witness: Path) -> None:
    """Where everything was deleted, the new history records that there was another one."""
    path = await killed(tmp_path, COUNT, witness)
    shutil.rmtree(path.parent)
    found = await verified(path, witness, more=3)
    assert found.intact
    assert "a witness knew another history here, of 17 records until" in found.statement


async def test_another_history_in_the_place_of_one_is_found(tmp_path: Path, witness: Path) -> None:
    """A history with a key of its own is not the one that the witness knows."""
    path = await killed(tmp_path, COUNT, witness)
    other = await killed(tmp_path / "other", 3)
    shutil.rmtree(path.parent)
    shutil.copytree(other.parent, path.parent)
    found = await verified(path, witness)
    assert (False, True) == (found.intact, "knows another history than this one" in found.problem)


@pytest.mark.parametrize(
    "content", [b"rubbish\n", b"\x00" * BLOCK, b'"pratique/head"\n', b"[]\n", b"\xff\xfe\n"]
)
async def test_a_damaged_witness_is_no_witness(tmp_path: Path, witness: Path, content: bytes) -> None:
    """What is no signed head contradicts the history; it is never passed over."""
    path = await killed(tmp_path, COUNT, witness)
    witness.write_bytes(content)
    assert not (await verified(path, witness)).intact


async def test_a_forged_witness_is_no_witness(tmp_path: Path, witness: Path) -> None:
    """A head that another key signed is not counted as agreement."""
    path = await killed(tmp_path, COUNT, witness)
    other = HeadSigner(signing_key(tmp_path / "other.key"))
    with opened(path) as connection:
        seq, last = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    witness.write_text(json.dumps(other.note(seq, last, "2026-11-22T00:00:00.000000Z")) + "\n")
    assert not (await verified(path, witness)).intact


async def test_a_missing_witness_says_nothing(tmp_path: Path, witness: Path) -> None:
    """Where the witness file is gone a new one is made, and what was before is shown by nothing."""
    path = await killed(tmp_path, COUNT, witness)
    witness.unlink()
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    found = await store.verify()
    await store.close()
    assert (True, 17) == (found.intact, found.witnesses[0].records)
    assert 0o600 == stat.S_IMODE(witness.stat().st_mode)


@pytest.mark.parametrize("kind", ["folder", "link"])
async def test_a_witness_that_cannot_be_written_is_a_failing_row(
    tmp_path: Path, witness: Path, kind: str
) -> None:
    """The engine goes on without a witness, Health says so, and verify claims nothing by it."""
    witness.parent.mkdir(parents=True)
    if kind == "folder":
        witness.mkdir()
    else:
        (tmp_path / "target").write_text("")
        witness.symlink_to(tmp_path / "target")
    store = await SqliteHistoryStore.open(tmp_path / "live" / "pratique.db", SETTINGS, witness)
    await fill(store, 3)
    (check,) = store.checks()
    found = await store.verify()
    await store.close()
    assert (False, ()) == (check.ok, found.witnesses)
    assert "shown by nothing" in found.statement or not found.intact


async def test_health_names_what_the_witness_has(tmp_path: Path, witness: Path) -> None:
    """The row of Health says up to which record the witness goes, after every commit."""
    store = await SqliteHistoryStore.open(tmp_path / "live" / "pratique.db", SETTINGS, witness)
    await fill(store, 3)
    (check,) = store.checks()
    found = await store.verify()
    await store.close()
    assert (True, f"{witness} has the first 3 records") == (check.ok, check.detail.text)
    assert f"shown by the witness {witness} up to record 3" in found.statement


async def test_a_rewritten_history_is_not_what_the_witness_has(tmp_path: Path, witness: Path) -> None:
    """Even who holds the engine's key and signs the end anew is contradicted by the witness file."""
    path = await killed(tmp_path, COUNT, witness)
    key = signing_key(path.with_suffix(".key"))
    with opened(path) as connection:
        rechain(connection, 14, actor=MALLORY.text)
        seq, last = connection.execute("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        note = HeadSigner(key).note(seq, last, "2026-11-22T00:00:00.000000Z")
        connection.execute("UPDATE signed_head SET note = ?", (note,))
    assert (await verified(Path(shutil.copytree(path.parent, tmp_path / "copy")) / path.name)).intact
    assert not (await verified(path, witness)).intact


@pytest.mark.parametrize("resume", [False, True])
async def test_a_killed_engine_and_its_witness_agree(tmp_path: Path, witness: Path, resume: bool) -> None:
    """After a kill the next engine finds nothing wrong, and the witness goes to the last record."""
    path = await killed(tmp_path, COUNT, witness)
    found = await verified(path, witness, resume=resume)
    assert (True, 17) == (found.intact, found.witnesses[0].records)
