"""Brings the tables of a database to the format of this version."""

from __future__ import annotations

from engine.history.errors import HistoryError
from engine.history.store.postgres.link import LOCK, SCHEMA, ServerLink
from engine.history.store.postgres.migrations import MIGRATIONS
from engine.history.store.postgres.url import ServerUrl

_FORMAT = "CREATE TABLE format (one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL)"
_IS_THERE = "SELECT 1 FROM pg_namespace WHERE nspname = %s"


def migrate(link: ServerLink, url: ServerUrl) -> None:
    """Create the tables, or execute the steps that are missing: all of them or none.

    Raises:
        HistoryError: the database holds a newer format, or is not in UTF-8.
        psycopg.Error: the role may not create them.
    """
    _require_utf8(link, url)
    with link.transaction():
        link.execute(b"SELECT pg_advisory_xact_lock(%s, 0)", (LOCK,))
        if link.execute(_IS_THERE, (SCHEMA,)).fetchone() is None:
            link.execute(f"CREATE SCHEMA {SCHEMA}".encode())
        done = _begin(link)
        require_known(done, url)
        for steps in MIGRATIONS[done:]:
            for step in steps:
                link.execute(step.encode())
        link.execute(b"UPDATE format SET number = %s", (len(MIGRATIONS),))


def format_of(link: ServerLink) -> int:
    """Return the format of the tables, 0 where there are none."""
    if link.execute(b"SELECT to_regclass(%s)", (f"{SCHEMA}.format",)).fetchone() == (None,):
        return 0
    row = link.execute(b"SELECT number FROM format").fetchone()
    return int(row[0]) if row else 0


def require_known(number: int, url: ServerUrl) -> None:
    """Refuse a format of a newer version.

    Raises:
        HistoryError: this version cannot read it.
    """
    if number > len(MIGRATIONS):
        raise HistoryError(
            f"The history {url} has format {number}, of a newer version (this one reads up to "
            f"{len(MIGRATIONS)})",
            hint="Type: pip install --upgrade pratique, or set history.database to another database",
        )


def _begin(link: ServerLink) -> int:
    number = format_of(link)
    if not number:
        link.execute(_FORMAT.encode())
        link.execute(b"INSERT INTO format VALUES (1, 0)")
    return number


def _require_utf8(link: ServerLink, url: ServerUrl) -> None:
    encoding = link.execute(b"SHOW server_encoding").fetchone()
    if encoding != ("UTF8",):
        raise HistoryError(
            f"The database {url} is not in UTF-8",
            hint="Type: createdb --encoding UTF8 --template template0 NAME, and name that one",
        )
