"""Backups are whole, private and verified, also while an engine writes."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import stat
from pathlib import Path

import pytest

from engine.history.errors import HistoryError
from engine.history.store.sqlite.backup import back_up
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings
from tests.engine.history.history_surgery import ALICE, SETTINGS, fill, verified


async def test_a_backup_is_one_moment_of_a_history_that_is_written(tmp_path: Path) -> None:
    """While events come, the copy is intact, has what was answered before, and can be continued."""
    path, folder = tmp_path / "live" / "pratique.db", tmp_path / "backups" / "today"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, 30)
    done = asyncio.Event()

    async def write() -> None:
        while not done.is_set():
            await store.append("history.viewed", "", ALICE, {})

    writing = asyncio.create_task(write())
    found = await asyncio.to_thread(back_up, path, folder)
    done.set()
    await writing
    await store.close()
    assert (True, True) == (found.intact, found.events >= 33)
    assert "is shown by nothing" in found.statement
    assert {0o600} == {
        stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir() if file.suffix != ".pub"
    }
    assert (await verified(folder / "pratique.db", more=5)).intact


async def test_a_restored_backup_says_what_is_missing(tmp_path: Path) -> None:
    """Put in the place of the history, an older backup is continued, and the lost records stay known."""
    path, witness = tmp_path / "live" / "pratique.db", tmp_path / "elsewhere.heads"
    store = await SqliteHistoryStore.open(path, SETTINGS, witness)
    await fill(store, 5)
    back_up(path, tmp_path / "backup")
    await fill(store, 5)
    await store.close()
    shutil.rmtree(path.parent)
    shutil.copytree(tmp_path / "backup", path.parent)
    found = await verified(path, witness)
    assert (False, True) == (found.intact, found.problem.startswith("records 6 to "))


async def test_a_backup_of_a_changed_history_says_so(tmp_path: Path) -> None:
    """What is not intact is copied as it is, and named."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, 5)
    await store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 3")
    connection.close()
    assert "record 3 was changed" == back_up(path, tmp_path / "backup").problem


def test_a_backup_overwrites_nothing(tmp_path: Path) -> None:
    """A folder that is there, and a history that is not, are errors in words."""
    with pytest.raises(HistoryError, match="There is no history"):
        back_up(tmp_path / "none.db", tmp_path / "backup")
    (tmp_path / "some.db").touch()
    with pytest.raises(HistoryError, match="is there already"):
        back_up(tmp_path / "some.db", tmp_path)


async def test_a_checkpoint_comes_by_time(tmp_path: Path) -> None:
    """Without further events, what was recorded gets a checkpoint after its time, and the log is put away."""
    path = tmp_path / "live" / "pratique.db"
    store = await SqliteHistoryStore.open(path, HistorySettings(checkpoint_seconds=0.2))
    await store.append("history.viewed", "", ALICE, {})
    async with asyncio.timeout(20):
        while await store.read.latest_checkpoint() is None:
            await asyncio.sleep(0.02)
    events = await store.read.events()
    await store.close()
    assert ["history.viewed", "history.checkpoint"] == [event.type for event in events]


async def test_a_quiet_history_does_not_grow(tmp_path: Path) -> None:
    """A checkpoint is no reason for another one."""
    store = await SqliteHistoryStore.open(tmp_path / "a.db", HistorySettings(checkpoint_seconds=0.01))
    await store.append("history.viewed", "", ALICE, {})
    async with asyncio.timeout(20):
        while await store.read.latest_checkpoint() is None:
            await asyncio.sleep(0.02)
    due = await store._writer.do(lambda ledger: ledger.due_in(), durable=False)
    events = await store.read.events()
    await store.close()
    assert (None, 2) == (due, len(events))
