"""The tables of the history, and how a connection to them is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from engine.history.errors import HistoryError

VERSION = 3
APPLICATION = 0x50524154
"""`PRAT`, so that nothing else's database is taken for a history."""

TABLES = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    data TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL
);
CREATE INDEX events_subject ON events (subject);

CREATE INDEX events_checkpoint ON events (seq) WHERE type = 'history.checkpoint';

CREATE INDEX events_erased ON events (seq) WHERE type = 'history.erased';

CREATE TABLE subtrees (
    level INTEGER NOT NULL,
    place INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, place)
) WITHOUT ROWID;

CREATE TABLE blobs (
    n INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    body BLOB,
    stored INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX blobs_kept ON blobs (at, stored) WHERE body IS NOT NULL;

CREATE TABLE cases (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL,
    digest TEXT NOT NULL,
    status TEXT NOT NULL,
    risk TEXT NOT NULL,
    language TEXT NOT NULL,
    requester TEXT NOT NULL,
    first_line TEXT NOT NULL,
    lines INTEGER NOT NULL,
    violations INTEGER NOT NULL,
    submitted_at TEXT NOT NULL,
    deadline TEXT,
    reviewer TEXT NOT NULL,
    kill_reason TEXT,
    exit_code INTEGER,
    duration REAL,
    memory_peak INTEGER,
    decided_after REAL
);
CREATE INDEX cases_open ON cases (n) WHERE status IN ('pending', 'queued', 'running');
CREATE INDEX cases_risk ON cases (risk);
CREATE INDEX cases_status ON cases (status);
CREATE INDEX cases_language ON cases (language);
CREATE INDEX cases_requester ON cases (requester);
CREATE INDEX cases_reviewer ON cases (reviewer);
CREATE INDEX cases_kill ON cases (kill_reason);
CREATE INDEX cases_submitted ON cases (submitted_at);
CREATE INDEX cases_duration ON cases (duration);
CREATE INDEX cases_memory ON cases (memory_peak);
CREATE INDEX cases_exit ON cases (exit_code);
CREATE INDEX cases_digest ON cases (digest);
CREATE INDEX cases_lines ON cases (lines);
CREATE INDEX cases_violations ON cases (violations);

CREATE TABLE states (
    n INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE tallies (
    day TEXT NOT NULL,
    risk TEXT NOT NULL,
    status TEXT NOT NULL,
    kill_reason TEXT NOT NULL,
    language TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, risk, status, kill_reason, language)
) WITHOUT ROWID;
CREATE TABLE requesters (
    requester TEXT NOT NULL,
    risk TEXT NOT NULL,
    status TEXT NOT NULL,
    kill_reason TEXT NOT NULL,
    language TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (requester, risk, status, kill_reason, language)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'unicode61', detail = 'full');
CREATE TABLE progress (indexed INTEGER NOT NULL);
INSERT INTO progress VALUES (0);

CREATE TABLE uses (
    blob INTEGER NOT NULL,
    kase INTEGER NOT NULL,
    PRIMARY KEY (blob, kase)
) WITHOUT ROWID;
CREATE INDEX uses_kase ON uses (kase, blob);
"""
UPGRADES = {
    1: (
        "CREATE INDEX IF NOT EXISTS cases_exit ON cases (exit_code)",
        "CREATE INDEX IF NOT EXISTS uses_kase ON uses (kase, blob)",
    ),
    2: (
        "CREATE INDEX IF NOT EXISTS cases_digest ON cases (digest)",
        "CREATE INDEX IF NOT EXISTS cases_lines ON cases (lines)",
        "CREATE INDEX IF NOT EXISTS cases_violations ON cases (violations)",
    ),
}
"""What brings the tables of each older version to the next one."""


def open_writer(path: Path) -> sqlite3.Connection:
    """Open the history for writing, and make it, mode 0600, where there is none.

    Raises:
        HistoryError: it is from a newer version, or it is something else's database.
        sqlite3.Error: it cannot be opened or is no database.
    """
    _create_private(path)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA cache_size = -16384")
        connection.execute("BEGIN IMMEDIATE")
        _prepare(connection, path)
        connection.execute("COMMIT")
    except BaseException:
        connection.close()
        raise
    return connection


def open_reader(path: Path, give_up: Callable[[], bool]) -> sqlite3.Connection:
    """Open the history for reading alone; a query ends with an error once `give_up` says so."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
    )
    connection.execute("PRAGMA query_only = ON")
    connection.set_progress_handler(give_up, 20_000)
    return connection


def _create_private(path: Path) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise HistoryError(
            f"The history {path} cannot be opened: {error.strerror}",
            hint=f"Look at: ls -ld {path.parent} {path}",
        ) from None


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0
    if empty and version == 0:
        for statement in TABLES.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
    elif application != APPLICATION:
        raise HistoryError(
            f"{path} is not a history of Pratique", hint=f"Move it away: mv {path} {path}.other"
        )
    elif version > VERSION:
        raise HistoryError(
            f"The history {path} is from a newer Pratique (format {version}; this one knows {VERSION})",
            hint="Start the newer version, or set PRATIQUE_HOME to another folder",
        )
    else:
        _upgrade(connection, version)


def _upgrade(connection: sqlite3.Connection, version: int) -> None:
    for older in range(version, VERSION):
        for statement in UPGRADES[older]:
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")
