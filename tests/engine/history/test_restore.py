"""A backup takes the place of a history after it was verified, or nothing is replaced."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.history.errors import HistoryError
from engine.history.store.restore import restore
from engine.history.store.sqlite.backup import back_up
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import Principal
from engine.principals import KeyRing
from tests.engine.history.history_surgery import SETTINGS, fill, verified

ADA = Principal(name=Untrusted("ada"))
Damage = Callable[[Path], object]


async def backed_up(folder: Path, count: int = 12) -> tuple[Path, Path]:
    """Return a history with a reviewer's key, and its backup, after which it went on."""
    path, backup = folder / "live" / "pratique.db", folder / "backup"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, count)
    KeyRing(path.parent / "keys").key(ADA)
    back_up(path, backup)
    shutil.copytree(path.parent / "keys", backup / "keys")
    await fill(store, 3)
    await store.close()
    return path, backup


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, the lock of the engine left out."""
    files = [one for one in folder.rglob("*") if one.is_file() and one.suffix != ".lock"]
    return {str(one.relative_to(folder)): one.read_bytes() for one in files}


async def test_a_lost_history_is_restored_and_goes_on(tmp_path: Path) -> None:
    """Into an empty folder: the history is intact, has its keys, and takes further events."""
    path, backup = await backed_up(tmp_path)
    key, public = [path.with_suffix(suffix).read_bytes() for suffix in (".key", ".pub")]
    reviewers = contents(path.parent / "keys")
    shutil.rmtree(path.parent)
    done = restore(backup, path, replace=False)
    assert (True, None) == (done.verification.intact, done.aside)
    assert (key, public) == tuple(path.with_suffix(suffix).read_bytes() for suffix in (".key", ".pub"))
    assert reviewers == contents(path.parent / "keys")
    assert {0o600} == {
        one.stat().st_mode & 0o777 for one in path.parent.rglob("*") if one.is_file() and one.suffix != ".pub"
    }
    assert (await verified(path, more=5)).intact
    assert [] == list(path.parent.glob(".restoring*"))


async def test_drills_come_back_with_the_history_in_which_they_wait(tmp_path: Path) -> None:
    """Their file is restored and the other one lies aside; a backup without it leaves what is there."""
    path, backup = await backed_up(tmp_path)
    drills = path.with_name("drills.json")
    drills.write_text("now")
    restore(backup, path, replace=True)
    assert "now" == drills.read_text()
    (backup / "drills.json").write_text("then")
    done = restore(backup, path, replace=True)
    assert done.aside
    assert ("then", "now") == (drills.read_text(), (done.aside / "drills.json").read_text())
    assert 0o600 == drills.stat().st_mode & 0o777


async def test_a_history_that_is_there_is_replaced_only_when_told(tmp_path: Path) -> None:
    """Without being told nothing changes; told, what was there lies aside, whole."""
    path, backup = await backed_up(tmp_path)
    before = contents(path.parent)
    with pytest.raises(HistoryError, match="There is a history in"):
        restore(backup, path, replace=False)
    assert before == contents(path.parent)
    done = restore(backup, path, replace=True)
    assert done.aside
    assert before == contents(done.aside)
    assert (await verified(path)).events < (await verified(done.aside / path.name)).events


@pytest.mark.parametrize("left", ["keys/0.pem", "pratique.key", "pratique.db-wal", "pratique.db.checkpoints"])
async def test_a_part_of_a_history_is_one(tmp_path: Path, left: str) -> None:
    """A folder without a database, but with keys or checkpoints of one, is not empty."""
    path, backup = await backed_up(tmp_path)
    shutil.rmtree(path.parent)
    (path.parent / left).parent.mkdir(parents=True)
    (path.parent / left).write_bytes(b"x")
    with pytest.raises(HistoryError, match="There is a history in"):
        restore(backup, path, replace=False)
    done = restore(backup, path, replace=True)
    assert done.aside
    assert {left: b"x"} == contents(done.aside)


async def test_nothing_is_restored_under_an_engine(tmp_path: Path) -> None:
    """Also when told to replace."""
    path, backup = await backed_up(tmp_path)
    store = await SqliteHistoryStore.open(path, SETTINGS)
    with pytest.raises(HistoryError, match="Another engine"):
        restore(backup, path, replace=True)
    await store.append("history.viewed", "", Untrusted("alice"), {})
    assert (await store.verify()).intact
    await store.close()


def other_key(backup: Path) -> None:
    """Put the key of another history there."""
    ring = KeyRing(backup / "elsewhere")
    ring.key(ADA)
    ring.path_of(ADA).replace(backup / "pratique.key")


def trigger(backup: Path) -> None:
    """Let the database do something by itself."""
    with sqlite3.connect(backup / "pratique.db") as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM cases; END")
    connection.close()


def changed(backup: Path) -> None:
    """Change a record."""
    with sqlite3.connect(backup / "pratique.db") as connection:
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 3")
    connection.close()


def linked(backup: Path) -> None:
    """Put a link in the place of the database."""
    (backup / "pratique.db").rename(backup / "else.db")
    (backup / "pratique.db").symlink_to(backup / "else.db")


def piped(backup: Path) -> None:
    """Put a pipe in the place of the database, which nobody ever writes to."""
    (backup / "pratique.db").unlink()
    os.mkfifo(backup / "pratique.db")


def truncated(name: str, size: int) -> Damage:
    """Cut a file."""
    return lambda backup: os.truncate(backup / name, size)


def key_file(content: bytes) -> Damage:
    """Put something else in the place of a reviewer's key."""
    return lambda backup: next((backup / "keys").iterdir()).write_bytes(content)


DAMAGES: dict[str, Damage] = {
    "no folder": shutil.rmtree,
    "no database": lambda backup: (backup / "pratique.db").unlink(),
    "no key": lambda backup: (backup / "pratique.key").unlink(),
    "an empty database": truncated("pratique.db", 0),
    "half a database": truncated("pratique.db", 40_000),
    "an empty key": truncated("pratique.key", 0),
    "the key of another history": other_key,
    "a changed record": changed,
    "a trigger": trigger,
    "no database but text": lambda backup: (backup / "pratique.db").write_text("hello"),
    "other checkpoints": lambda backup: (backup / "pratique.db.checkpoints").write_text("x\n\nx\n"),
    "a link": linked,
    "a pipe": piped,
    "a damaged reviewer's key": key_file(b"x"),
    "a huge reviewer's key": key_file(b"x" * 10_000),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_damaged_backup_replaces_nothing(tmp_path: Path, damage: Damage) -> None:
    """It is one sentence that names the backup, and every file is as it was."""
    path, backup = await backed_up(tmp_path)
    damage(backup)
    before = contents(path.parent)
    with pytest.raises(HistoryError) as failed:
        restore(backup, path, replace=True)
    said = failed.value.title
    assert said.startswith(f"The backup {backup} cannot be restored, and nothing was replaced: ")
    assert "\n" not in said
    assert before == contents(path.parent)
    assert [] == [one for one in path.parent.iterdir() if one.name.startswith((".restoring", "replaced"))]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 0.999), what=st.binary(min_size=1, max_size=64))
async def test_a_backup_with_changed_bytes_is_whole_or_refused(
    tmp_path_factory: pytest.TempPathFactory, where: float, what: bytes
) -> None:
    """Whatever bytes of the database change, what is restored is intact, or nothing is."""
    folder = tmp_path_factory.mktemp("restore")
    path, backup = await backed_up(folder, 4)
    shutil.rmtree(path.parent)
    with (backup / "pratique.db").open("r+b") as file:
        file.seek(int(where * (backup / "pratique.db").stat().st_size))
        file.write(what)
    try:
        restore(backup, path, replace=False)
    except HistoryError:
        assert {} == contents(path.parent)
    else:
        assert (await verified(path)).intact
    shutil.rmtree(folder)


async def test_the_command_says_it_in_one_line(tmp_path: Path) -> None:
    """A damaged backup is exit code 5 and no traceback; a good one is restored."""
    path, backup = await backed_up(tmp_path)
    home = tmp_path / "home"
    environment = {**os.environ, "PRATIQUE_HOME": str(home), "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-m", "console.main", "restore", str(backup)]

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=60, check=False
        )

    good = run()
    assert (0, "") == (good.returncode, good.stderr)
    assert (await verified(home / path.name)).intact
    (backup / "pratique.db").write_text("x")
    assert "There is a history in" in run().stderr
    command.append("--replace")
    bad = run()
    assert (5, 1) == (bad.returncode, len(bad.stderr.splitlines()))
    assert "cannot be restored, and nothing was replaced" in bad.stderr
