"""Whoever changes the history on disk is found out, and the record is named."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.history.chain import chain
from engine.history.store.sql import tree
from engine.history.store.sql.blobs import digest_of
from engine.history.store.sqlite.dialect import SqliteConnection
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Artifact, Case, OutputChunk, Status, Stream, Verification
from engine.settings import HistorySettings

ALICE = Untrusted("alice")
RECORDS = 20
COLUMNS = "at, type, subject, actor, data, previous, hash"

Tamper = Callable[[SqliteConnection], object]


async def fill(path: Path, settings: HistorySettings, make_case: Callable[..., Case]) -> None:
    """Write `RECORDS` records, the first about a case, the second its output; closing adds a checkpoint."""
    log = await SqliteHistoryStore.open(path, settings)
    await log.append("claim.created", "s1", ALICE, {"n": 0}, case=make_case("s1"))
    await log.append_output("s1", [OutputChunk(stream=Stream.STDOUT, at=0, offset=0, data=b"secret output")])
    await log.append(
        "claim.released", "s1", ALICE, {}, case=make_case("s1", status=Status.FINISHED, exit_code=0)
    )
    for number in range(RECORDS - 3):
        await log.append("history.viewed", "", ALICE, {"n": number})
    await log.close()


async def verify_after(path: Path, settings: HistorySettings, tamper: Tamper | None) -> Verification:
    """Return what verify says once `tamper` has been at the file."""
    if tamper:
        connection = sqlite3.connect(path, isolation_level=None, factory=SqliteConnection)
        connection.execute("BEGIN")
        tamper(connection)
        connection.execute("COMMIT")
        connection.close()
    log = await SqliteHistoryStore.open(path, settings)
    try:
        return await log.verify()
    finally:
        await log.close()


def shift(connection: SqliteConnection, first: int, by: int) -> None:
    """Renumber the records from `first` on."""
    connection.execute("UPDATE events SET seq = -seq WHERE seq >= ?", (first,))
    connection.execute("UPDATE events SET seq = -seq + ? WHERE seq < 0", (by,))


def change(connection: SqliteConnection) -> None:
    """Change the data of record 7."""
    connection.execute("UPDATE events SET data = '{\"n\":99}' WHERE seq = 7")


def change_actor(connection: SqliteConnection) -> None:
    """Put another name under record 7."""
    connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 7")


def change_type(connection: SqliteConnection) -> None:
    """Put the same name under record 7 as bytes."""
    connection.execute("UPDATE events SET actor = CAST(actor AS BLOB) WHERE seq = 7")


def change_link_type(connection: SqliteConnection) -> None:
    """Write the hash before record 7 as text."""
    connection.execute("UPDATE events SET previous = hex(previous) WHERE seq = 7")


def change_to_no_text(connection: SqliteConnection) -> None:
    """Put bytes under record 7 that are no UTF-8."""
    connection.execute("UPDATE events SET actor = CAST(x'616cff' AS TEXT) WHERE seq = 7")


def change_and_rehash(connection: SqliteConnection) -> None:
    """Change record 7 and give it a hash that fits."""
    at, kind, subject, actor, _, previous, _ = connection.execute(
        f"SELECT {COLUMNS} FROM events WHERE seq = 7"
    ).fetchone()
    new = chain.hash_of(7, at, kind, subject, actor, '{"n":99}', previous)
    connection.execute("UPDATE events SET data = '{\"n\":99}', hash = ? WHERE seq = 7", (new,))


def remove(connection: SqliteConnection) -> None:
    """Take record 7 out."""
    connection.execute("DELETE FROM events WHERE seq = 7")


def remove_and_renumber(connection: SqliteConnection) -> None:
    """Take record 7 out and close the gap."""
    remove(connection)
    shift(connection, 8, -1)


def remove_first(connection: SqliteConnection) -> None:
    """Take the beginning away."""
    connection.execute("DELETE FROM events WHERE seq = 1")


def insert(connection: SqliteConnection) -> None:
    """Put a record in before record 7."""
    shift(connection, 7, 1)
    connection.execute(f"INSERT INTO events SELECT 7, {COLUMNS} FROM events WHERE seq = 6")
    connection.execute("UPDATE events SET data = '{\"n\":99}' WHERE seq = 7")


def insert_at_zero(connection: SqliteConnection) -> None:
    """Put a record in before the first."""
    connection.execute(f"INSERT INTO events SELECT 0, {COLUMNS} FROM events WHERE seq = 6")


def append_forged(connection: SqliteConnection) -> None:
    """Put a record at the end that is chained to nothing."""
    connection.execute(f"INSERT INTO events SELECT {RECORDS + 2}, {COLUMNS} FROM events WHERE seq = 6")


def swap(connection: SqliteConnection) -> None:
    """Let records 7 and 8 change places."""
    connection.execute("UPDATE events SET seq = -7 WHERE seq = 7")
    connection.execute("UPDATE events SET seq = 7 WHERE seq = 8")
    connection.execute("UPDATE events SET seq = 8 WHERE seq = -7")


def change_case(connection: SqliteConnection) -> None:
    """Change who asked, where History shows it."""
    connection.execute("UPDATE cases SET requester = 'mallory'")


def change_case_type(connection: SqliteConnection) -> None:
    """Write who asked as bytes."""
    connection.execute("UPDATE cases SET requester = CAST(requester AS BLOB)")


def change_case_to_no_text(connection: SqliteConnection) -> None:
    """Put bytes that are no UTF-8 where History shows who asked."""
    connection.execute("UPDATE cases SET requester = CAST(x'616cff' AS TEXT)")


def restore_case(connection: SqliteConnection) -> None:
    """Make a run's exit code unknown."""
    connection.execute("UPDATE cases SET exit_code = NULL")


def remove_case(connection: SqliteConnection) -> None:
    """Take a case out of the history."""
    connection.execute("DELETE FROM cases")


def insert_case(connection: SqliteConnection) -> None:
    """Put a case in that never was."""
    names = [row[1] for row in connection.execute("PRAGMA table_info(cases)") if row[1] not in ("n", "id")]
    listed = ", ".join(names)
    connection.execute(f"INSERT INTO cases (id, {listed}) SELECT 'forged', {listed} FROM cases")


def change_code(connection: SqliteConnection) -> None:
    """Put other bytes in the place of the code."""
    other = connection.execute("SELECT body FROM blobs ORDER BY n DESC LIMIT 1").fetchone()
    connection.execute("UPDATE blobs SET body = ? WHERE n = 1", other)


def remove_output(connection: SqliteConnection) -> None:
    """Take away what a run printed."""
    connection.execute("DELETE FROM blobs WHERE n = 2")


async def test_untouched_history_is_intact(
    path: Path, settings: HistorySettings, make_case: Callable[..., Case]
) -> None:
    """What nobody touched is intact, and the records are counted."""
    await fill(path, settings, make_case)
    found = await verify_after(path, settings, None)
    assert (RECORDS + 1, True, 1) == (found.events, found.intact, found.checkpoints)


@pytest.mark.parametrize(
    ("tamper", "seq", "problem"),
    [
        (change, 7, "record 7 was changed"),
        (change_actor, 7, "record 7 was changed"),
        (change_type, 7, "record 7 was changed"),
        (change_link_type, 7, "record 7 was changed"),
        (change_to_no_text, 7, "record 7 was changed"),
        (change_and_rehash, 8, "record 7 was replaced: record 8 was written after another"),
        (remove, 7, "record 7 was removed"),
        (remove_and_renumber, 7, "record 7 was removed"),
        (remove_first, 1, "record 1 was removed"),
        (insert, 7, "record 7 was inserted"),
        (insert_at_zero, 1, "record 0 was inserted"),
        (append_forged, 22, "record 22 was inserted"),
        (swap, 7, "record 7 was reordered: record 8 is in its place"),
        (change_case, 3, "the case s1 was changed: it is not what record 3 says"),
        (change_case_type, 3, "the case s1 was changed: it is not what record 3 says"),
        (change_case_to_no_text, 3, "the case s1 was changed: it is not what record 3 says"),
        (restore_case, 3, "the case s1 was changed: it is not what record 3 says"),
        (remove_case, 3, "the case s1 was removed"),
        (insert_case, 3, "the case forged was inserted: no record names it"),
        (change_code, 3, "the code or a file of the case s1 was changed"),
        (remove_output, 2, "the output of s1 was removed"),
    ],
)
async def test_tampering_is_named(
    path: Path,
    settings: HistorySettings,
    make_case: Callable[..., Case],
    tamper: Tamper,
    seq: int,
    problem: str,
) -> None:
    """Every way to change the history is found, and the first record of it is named."""
    await fill(path, settings, make_case)
    verification = await verify_after(path, settings, tamper)
    said = verification.problem.partition("; when it was opened")[0]
    assert (False, seq, problem) == (verification.intact, verification.seq, said)


async def test_a_file_that_a_run_left_is_read_again(
    path: Path, settings: HistorySettings, make_case: Callable[..., Case]
) -> None:
    """Other bytes in the place of an artifact are found, as those of the code and the output are."""
    content = b"figures"
    log = await SqliteHistoryStore.open(path, settings)
    await log.append("claim.created", "s1", ALICE, {}, case=make_case("s1"))
    await log.append_artifact(
        "s1", Artifact(name="a.csv", size=len(content), digest=digest_of(content)), content
    )
    await log.close()
    found = await verify_after(
        path,
        settings,
        lambda connection: connection.execute(
            "UPDATE blobs SET body = (SELECT body FROM blobs WHERE n = 1) WHERE n = 2"
        ),
    )
    assert (2, "a file that s1 left was changed") == (found.seq, found.problem)


async def test_no_text_moves_from_one_column_to_another(path: Path, settings: HistorySettings) -> None:
    """A record whose time has swallowed a part of its data is changed, though the whole reads the same."""
    log = await SqliteHistoryStore.open(path, settings)
    await log.append("history.viewed", "", ALICE, {"a": "x", "data": {}})
    await log.close()
    moved = """UPDATE events SET at = at || '","data":{"a":"x', data = '{}}' WHERE seq = 1"""
    found = await verify_after(path, settings, lambda connection: connection.execute(moved))
    assert (1, "record 1 was changed") == (found.seq, found.problem)


@pytest.mark.parametrize(
    ("type", "data", "problem"),
    [
        ("run.output", "no JSON", "the output of s1 was removed"),
        ("run.artifact", "[]", "a file that s1 left was removed"),
        ("history.checkpoint", "{}", "the checkpoint in record 22 was forged: not signed by this engine"),
    ],
)
async def test_what_we_never_write_is_named(
    path: Path, settings: HistorySettings, make_case: Callable[..., Case], type: str, data: str, problem: str
) -> None:
    """A record that is chained as it should be and says what no record says breaks nothing."""
    await fill(path, settings, make_case)

    def forge(connection: SqliteConnection) -> None:
        seq, last = tree.head(connection)
        record = chain.link(seq + 1, last, "2026-11-21T06:00:00.000000Z", type, "s1", "engine", data)
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", record)

    found = await verify_after(path, settings, forge)
    assert (22, problem) == (found.seq, found.problem.partition("; when it was opened")[0])


async def test_progress_reaches_the_end(log: SqliteHistoryStore) -> None:
    """Verify tells how far it is, up to all."""
    told: list[tuple[int, int]] = []
    for _ in range(3):
        await log.append("history.viewed", "", ALICE, {})
    await log.verify(lambda done, total: told.append((done, total)))
    assert [(3, 3)] == told
