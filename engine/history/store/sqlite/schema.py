"""The tables of the history in SQLite."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

VERSION = 6
"""The format of the database. Raise it, and add an upgrade, with every change of the tables."""
OLDEST = 4
"""The oldest format that is upgraded."""
APPLICATION = 0x50524154
"""`PRAT`, so that nothing else's database is taken for a history."""

FULLTEXT = """
CREATE VIRTUAL TABLE fulltext USING fts5 (text, content = '', tokenize = 'unicode61', detail = 'full')
"""
FACTS = """
CREATE TABLE fact_values (id INTEGER PRIMARY KEY, field TEXT NOT NULL, value TEXT NOT NULL);
CREATE UNIQUE INDEX fact_values_value ON fact_values (field, value);
CREATE TABLE facts (
    value INTEGER NOT NULL,
    case_n INTEGER NOT NULL,
    PRIMARY KEY (value, case_n)
) WITHOUT ROWID;
CREATE INDEX facts_case ON facts (case_n, value);
CREATE TABLE facts_progress (indexed INTEGER NOT NULL);
INSERT INTO facts_progress VALUES (0)
"""
"""What cases are found by beside their columns: filled in the background, from the first event on."""
TABLES = f"""
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

CREATE TABLE signed_head (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    note TEXT NOT NULL
);

CREATE TABLE subtrees (
    level INTEGER NOT NULL,
    place INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (level, place)
) WITHOUT ROWID;

CREATE TABLE blobs (
    n INTEGER PRIMARY KEY,
    digest BLOB NOT NULL UNIQUE,
    body BLOB,
    stored INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX blobs_kept ON blobs (at, stored) WHERE body IS NOT NULL;

CREATE TABLE cases (
    n INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    format INTEGER NOT NULL,
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

CREATE TABLE case_states (
    n INTEGER PRIMARY KEY,
    body BLOB NOT NULL
);

CREATE TABLE daily_counts (
    day TEXT NOT NULL,
    risk TEXT NOT NULL,
    status TEXT NOT NULL,
    kill_reason TEXT NOT NULL,
    language TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (day, risk, status, kill_reason, language)
) WITHOUT ROWID;
CREATE TABLE requester_counts (
    requester TEXT NOT NULL,
    risk TEXT NOT NULL,
    status TEXT NOT NULL,
    kill_reason TEXT NOT NULL,
    language TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (requester, risk, status, kill_reason, language)
) WITHOUT ROWID;

{FULLTEXT};
CREATE TABLE fulltext_progress (indexed INTEGER NOT NULL);
INSERT INTO fulltext_progress VALUES (0);

CREATE TABLE case_blobs (
    blob INTEGER NOT NULL,
    case_n INTEGER NOT NULL,
    PRIMARY KEY (blob, case_n)
) WITHOUT ROWID;
CREATE INDEX case_blobs_case ON case_blobs (case_n, blob);

CREATE INDEX cases_decided ON cases (decided_after);
{FACTS};
"""
UPGRADES: dict[int, tuple[str, ...]] = {
    4: (
        "CREATE TABLE signed_head (one INTEGER PRIMARY KEY CHECK (one = 1), note TEXT NOT NULL)",
        "ALTER TABLE blobs DROP COLUMN size",
        "DELETE FROM daily_counts WHERE count = 0",
        "DELETE FROM requester_counts WHERE count = 0",
    ),
    5: ("CREATE INDEX cases_decided ON cases (decided_after)", *FACTS.split(";")),
}
"""For each older format from `OLDEST` on, the statements that bring it to the next one."""


def foreign_objects(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the tables, indexes, triggers and views that are not those of a history, and those missing."""
    with contextlib.closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        for statement in TABLES.split(";"):
            memory.execute(statement)
        listed = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"
        expected, found = (set(one.execute(listed)) for one in (memory, connection))
    yield from (f"the {type} {name} was added to the database" for type, name in sorted(found - expected))
    yield from (f"the {type} {name} is missing" for type, name in sorted(expected - found))
