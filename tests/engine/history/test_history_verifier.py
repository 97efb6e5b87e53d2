"""Verification finds what no single event shows: cases that point elsewhere, lost bodies, a cut end."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from engine.common.text import Untrusted
from engine.history.chain.checkpoints import parse
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Status, Verification
from engine.settings import HistorySettings
from tests.engine.history.conftest import build_case

ALICE = Untrusted("alice")
LAST = 6
"""The number of the last event that `history` writes; the checkpoint of its end follows."""


@pytest.fixture
async def history(path: Path, settings: HistorySettings) -> Path:
    """Return the path of a closed history: a case that two events tell of, then four other events."""
    store = await SqliteHistoryStore.open(path, settings)
    await store.append("claim.created", "s1", ALICE, {}, case=build_case("s1"))
    await store.append("claim.released", "s1", ALICE, {}, case=build_case("s1", status=Status.DENIED))
    for number in range(LAST - 2):
        await store.append("history.viewed", "s1", ALICE, {"n": number})
    await store.close()
    return path


def execute(path: Path, *statements: str) -> None:
    """Change the database behind the store's back."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


async def verify(path: Path, *, resume: bool = False, witnessed: tuple[str, ...] = ()) -> Verification:
    """Open the history and return what verifying it finds."""
    store = await SqliteHistoryStore.open(path, HistorySettings())
    try:
        return await store.verify(resume=resume, witnessed=witnessed)
    finally:
        await store.close()


async def checkpoint_of(path: Path) -> str:
    """Return the checkpoint of the history's end."""
    store = await SqliteHistoryStore.open(path, HistorySettings())
    try:
        note = await store.read.latest_checkpoint()
    finally:
        await store.close()
    assert note is not None
    return note


@pytest.mark.parametrize("seq", [3, LAST, LAST + 1, 9999])
async def test_a_case_that_names_another_record_is_found(history: Path, seq: int) -> None:
    """A case whose row names a later record, which does not tell of it, was changed."""
    execute(history, f"UPDATE cases SET seq = {seq} WHERE id = 's1'")
    assert verdict(await verify(history)) == (2, "the case s1 was changed: it is not what record 2 says")


async def test_a_case_that_names_an_earlier_record_is_found(history: Path) -> None:
    """A case whose row names the record before its last one was changed."""
    execute(history, "UPDATE cases SET seq = 1 WHERE id = 's1'")
    assert verdict(await verify(history)) == (2, "the case s1 was changed: it is not what record 2 says")


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM case_states",
        "UPDATE case_states SET body = x'00ff'",
        "UPDATE case_states SET body = x''",
    ],
)
async def test_a_lost_body_is_found(history: Path, statement: str) -> None:
    """A case whose body is gone, or cannot be unpacked, was changed."""
    execute(history, statement)
    assert verdict(await verify(history)) == (2, "the case s1 was changed: it is not what record 2 says")


async def test_resuming_finds_a_case_that_names_a_new_record(history: Path) -> None:
    """What is verified after the last checkpoint includes the cases that name a record after it."""
    store = await SqliteHistoryStore.open(history, HistorySettings())
    event = await store.append("history.viewed", "s1", ALICE, {})
    execute(history, f"UPDATE cases SET seq = {event.seq} WHERE id = 's1'")
    found = await store.verify(resume=True)
    await store.close()
    assert verdict(found) == (2, "the case s1 was changed: it is not what record 2 says")


async def test_a_witness_of_fewer_records_agrees(history: Path) -> None:
    """A witness's checkpoint that covers fewer records than there are agrees."""
    found = await verify(history, witnessed=(await checkpoint_of(history),))
    assert (None, "", 1) == (found.seq, found.problem, found.witnessed)


async def test_a_removed_checkpoint_record_is_found(history: Path) -> None:
    """Cut back to exactly what the last checkpoint covers, the history no longer fits its signed end."""
    note = await checkpoint_of(history)
    cut(history, to=size_of(note))
    found = await verify(history, witnessed=(note,))
    assert (False, 1) == (found.intact, found.witnessed)
    assert found.problem.startswith(f"record {size_of(note) + 1} is missing: the history was signed with")


async def test_a_witness_of_one_more_record_is_enough(history: Path) -> None:
    """Where a witness has one record more than there are, that record was removed."""
    note = await checkpoint_of(history)
    size = size_of(note)
    cut(history, to=size - 1)
    checkpoint_file = history.with_name(history.name + ".checkpoints")
    checkpoint_file.unlink()
    found = await verify(history, witnessed=(note,))
    seq, problem = verdict(found)
    assert (size, 0) == (seq, found.witnessed)
    assert f"records {size} to {size + 1} are missing: the history was signed with" in problem


def verdict(found: Verification) -> tuple[int | None, str]:
    """Return the record and the problem that verification named."""
    assert not found.intact
    return found.seq, found.problem


def size_of(note: str) -> int:
    """Return how many records a checkpoint covers."""
    checkpoint = parse(note)
    assert checkpoint is not None
    return checkpoint.size


def cut(path: Path, *, to: int) -> None:
    """Remove all records after the number `to`."""
    execute(path, f"DELETE FROM events WHERE seq > {to}")
