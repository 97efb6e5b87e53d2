"""A history is moved from its file into PostgreSQL whole, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.history.errors import HistoryError
from engine.history.store.moved import moved_file
from engine.history.store.open import open_history
from engine.history.store.postgres import from_sqlite
from engine.history.store.postgres.from_sqlite import copy_history
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import OutputChunk, Stream
from engine.settings import HistorySettings
from tests.conformance.history_stores import ALICE
from tests.engine.history.conftest import build_case
from tests.engine.history.history_surgery import SETTINGS, fill
from tests.engine.history.postgres.test_postgres_store import execute
from tests.postgres_server import server


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the URL of an empty database."""
    return server().database(f"of_{hashlib.sha256(str(tmp_path).encode()).hexdigest()[:16]}")


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """Return where a history with events, cases, output, NULs and checkpoints is."""
    path = tmp_path / "state" / "pratique.db"
    store = await SqliteHistoryStore.open(path, SETTINGS)
    await fill(store, 25)
    for number in range(5):
        case = build_case(f"run-{number}", code=f"print('needle {number}')", requester="a\x00b")
        await store.append("claim.created", case.submission.id, ALICE, {}, case=case)
    await store.append_output("run-1", [OutputChunk(offset=0, at=0.5, stream=Stream.STDOUT, data=b"hay")])
    await store.append("history.viewed", "", ALICE, {"n": "a\x00b\x01"})
    await store.close()
    return path


async def test_a_moved_history_is_the_same_and_goes_on(path: Path, url: str) -> None:
    """Events, cases, output and search answer as before, it is intact, and takes further events."""
    before = await SqliteHistoryStore.open(path, SETTINGS)
    events, summaries = await before.read.events(), await before.read.summaries()
    case, output = await before.read.case("run-1"), await before.read.output("run-1")
    await before.close()
    done = copy_history(path, url)
    assert (True, len(events), False) == (done.verification.intact, done.verification.events, done.already)
    after = await open_history(HistorySettings(database=url, batch_milliseconds=5), path, None)
    try:
        assert events == await after.read.events()
        assert (6, summaries) == (len(summaries), await after.read.summaries())
        assert 5 == len(await after.read.summaries("text:needle"))
        assert (case, output) == (await after.read.case("run-1"), await after.read.output("run-1"))
        await fill(after, 12)
        found = await after.verify()
        assert (True, "") == (found.intact, found.problem)
    finally:
        await after.close()


async def test_no_engine_continues_the_file_of_a_moved_history(path: Path, url: str) -> None:
    """The file is refused from then on, and so is another copy."""
    copy_history(path, url)
    with pytest.raises(HistoryError, match="goes on in a database"):
        await open_history(SETTINGS, path, None)
    with pytest.raises(HistoryError, match="copied already"):
        copy_history(path, url)


async def test_a_copy_that_is_cut_off_leaves_the_database_empty(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the last table nothing counts; the next attempt copies everything."""
    monkeypatch.setattr(from_sqlite, "TABLES", (*from_sqlite.TABLES, "no_such_table"))
    with pytest.raises(HistoryError):
        copy_history(path, url)
    assert [(0, 0)] == execute(url, "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM blobs)")
    assert not moved_file(path).exists()
    monkeypatch.undo()
    assert copy_history(path, url).verification.intact


async def test_a_copy_whose_note_was_not_written_is_recognised(path: Path, url: str) -> None:
    """What was cut off between the database and the note beside the file is completed."""
    copy_history(path, url)
    moved_file(path).unlink()
    assert copy_history(path, url).already
    assert moved_file(path).exists()


async def test_another_history_is_not_copied_over(path: Path, url: str, tmp_path: Path) -> None:
    """A database with a history of its own, or one that went on, is left as it is."""
    other = await open_history(HistorySettings(database=url), tmp_path / "other" / "pratique.db", None)
    await fill(other, 3)
    await other.close()
    before = execute(url, "SELECT count(*), max(seq) FROM events")
    with pytest.raises(HistoryError, match="another history"):
        copy_history(path, url)
    assert before == execute(url, "SELECT count(*), max(seq) FROM events")


async def test_a_history_in_use_is_not_copied(path: Path, url: str) -> None:
    """While an engine writes the file, or the database, nothing is copied."""
    engine = await open_history(SETTINGS, path, None)
    with pytest.raises(HistoryError, match="Another engine"):
        copy_history(path, url)
    await engine.close()
    engine = await open_history(HistorySettings(database=url), path.with_name("other.db"), None)
    with pytest.raises(HistoryError, match="Another engine"):
        copy_history(path, url)
    await engine.close()


async def test_a_changed_history_is_not_copied(path: Path, url: str) -> None:
    """What verification refuses does not get a new home."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 7")
    with pytest.raises(HistoryError, match="not intact, and nothing was copied"):
        copy_history(path, url)
    assert not moved_file(path).exists()


async def test_the_command_copies_up_and_never_down(
    path: Path, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what to set; from a database to a file, or to another database, nothing is copied."""
    monkeypatch.setenv("PRATIQUE_HOME", str(path.parent))
    assert ExitCode.ERROR == main(["history", "migrate"])
    assert ExitCode.ERROR == main(["history", "migrate", str(path)])
    assert "none of PostgreSQL" in capsys.readouterr().err
    assert ExitCode.OK == main(["history", "migrate", url])
    assert f"set history.database to {url}" in capsys.readouterr().out
    (path.parent / "settings.yaml").write_text(f"history:\n  database: {url}\n")
    assert ExitCode.ERROR == main(["history", "migrate", "sqlite:pratique.db"])
    assert "in a database already" in capsys.readouterr().err
