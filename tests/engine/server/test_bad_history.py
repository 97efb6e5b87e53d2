"""A history that cannot be used: the command line says what is wrong, and nothing of it is lost."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.common.text import Untrusted
from engine.history.devtools.seed import seed_history
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings
from tests.engine_process import EngineProcess

ENGINE = [sys.executable, "-m", "engine.server.serve"]
PATIENT = 60
NOBODY = 65534
PAGE = 4096
SECONDS = 60


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Return a history with some records, which no engine has open."""
    path = tmp_path / "pratique.db"

    async def fill() -> None:
        log = await SqliteHistoryStore.open(path, HistorySettings())
        await log.append_many(
            ("history.viewed", "", Untrusted("alice"), {"n": number}) for number in range(500)
        )
        await log.close()

    asyncio.run(fill())
    return path


def served(path: Path, *before: str) -> str:
    """Start an engine over the history, which has to fail, and return what it says."""
    environment = {**os.environ, "PRATIQUE_HOME": str(path.parent)}
    ended = subprocess.run(
        [*before, *ENGINE], env=environment, capture_output=True, text=True, timeout=PATIENT, check=False
    )
    assert 1 == ended.returncode
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_a_newer_version_is_left_alone(database: Path) -> None:
    """The file stays as it is, and the message says what to start instead."""
    with contextlib.closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = database.read_bytes()
    assert "has format 99, of a newer version (this one reads up to" in served(database)
    assert before == database.read_bytes()


def test_a_corrupt_page_is_told(database: Path) -> None:
    """Damage is no traceback; the file is left for whoever mends it."""
    content = bytearray(database.read_bytes())
    content[PAGE:] = b"\xff" * (len(content) - PAGE)
    database.write_bytes(bytes(content))
    assert "is damaged" in (said := served(database))
    assert f"mv {database} {database}.damaged" in said
    assert bytes(content) == database.read_bytes()


def test_verify_says_that_a_history_cannot_be_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that broke where no start looks is found by `verify`, in words and by its exit code."""
    path = tmp_path / "pratique.db"
    seed_history(path, 300, seed=1)
    content = path.read_bytes()
    page = content.index(b'"case_sha256"') // PAGE * PAGE
    path.write_bytes(content[:page] + b"\xff" * PAGE + content[page + PAGE :])
    monkeypatch.setenv("PRATIQUE_HOME", str(tmp_path))
    engine = EngineProcess(tmp_path)
    engine.start()
    try:
        assert ExitCode.FAILED == main(["audit", "verify"])
    finally:
        engine.end()
    assert (
        f"NOT INTACT: it cannot be read to its end: The history {path} is damaged" in capsys.readouterr().err
    )


def test_two_engines_never_share_a_file(database: Path) -> None:
    """The second one says who is first to be stopped."""
    with database.with_name("pratique.db.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert f"an engine is already running (process {os.getpid()})" in served(database)


def without_powers() -> list[str]:
    """Return the command before a command that takes from root what others have not."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner", "--inh-caps=-all"]


@pytest.mark.parametrize("mode", [0o400, 0o000])
def test_a_file_that_may_not_be_written_is_named(database: Path, mode: int) -> None:
    """A history that is read-only, or that may not even be read, is named with what to look at."""
    database.chmod(mode)
    said = served(database, *without_powers())
    assert f"The history {database} cannot be opened: Permission denied" in said
    assert f"ls -ld {database.parent} {database}" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_file_of_somebody_else_is_named(database: Path) -> None:
    """A history that belongs to another user is not opened, and not taken over."""
    os.chown(database, NOBODY, NOBODY)
    assert f"{database} belongs to another user (uid {NOBODY})" in served(database, *without_powers())
    assert NOBODY == database.stat().st_uid


@pytest.fixture
def running(database: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EngineProcess]:
    """Yield an engine over the history, which the commands find."""
    monkeypatch.setenv("PRATIQUE_HOME", str(database.parent))
    process = EngineProcess(database.parent)
    process.start()
    yield process
    process.end()


def test_a_full_disk_is_told_and_got_over(
    running: EngineProcess, database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """While no file may grow nothing is taken in; once they may again all goes on, and all is there."""
    code = tmp_path / "code.py"
    code.write_text(f"print('{'x' * 100_000}')\n")
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (PAGE, resource.RLIM_INFINITY))
    assert ExitCode.ERROR == main(["submit", str(code)])
    assert "nothing was recorded" in capsys.readouterr().err
    resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ends = time.monotonic() + SECONDS
    while main(["submit", str(code)]) != ExitCode.OK:
        assert time.monotonic() < ends, capsys.readouterr().err
    assert ExitCode.OK == main(["audit", "verify"])
    assert "intact" in capsys.readouterr().out


WRONG = (
    "\x1b[31m\u202ex",
    'text:"a b',
    '"',
    '""',
    "*",
    "text:*",
    "(",
    "-",
    ":",
    "risk:",
    "'; DROP",
    "duration:>1x",
    "x" * 10_000,
    '"' * 10_000,
    "a AND",
    "NEAR(a b)",
)
RIGHT = ("a AND b", '"NEAR(a b)"', "na*me")


@pytest.mark.parametrize(
    ("typed", "status"),
    [*((text, ExitCode.ERROR) for text in WRONG), *((text, ExitCode.OK) for text in RIGHT)],
)
def test_a_search_is_answered_whatever_is_typed(
    engine: EngineProcess,
    typed: str,
    status: ExitCode,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A filter is understood, or what is wrong with it is said and pointed at, in few lines."""
    monkeypatch.setenv("PRATIQUE_HOME", str(engine.home))
    found = main(["audit", "search", "--", typed])
    said = capsys.readouterr()
    assert status == found, said
    assert "\x1b" not in said.out + said.err
    assert 8 >= len((said.out + said.err).splitlines())
    assert status == ExitCode.OK or "^" in said.err
