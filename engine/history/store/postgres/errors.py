"""What errors of PostgreSQL mean, and what to type next."""

from __future__ import annotations

import psycopg
from psycopg import errors

from engine.history.errors import HistoryError
from engine.history.store.postgres.url import ServerUrl

_GRANT = "Type: GRANT CREATE ON DATABASE NAME TO ROLE, as docs/postgresql.md says"
_MEANINGS: tuple[tuple[type[psycopg.Error], str, str], ...] = (
    (
        errors.QueryCanceled,
        "The search took too long and was stopped",
        "Narrow it, for example with since:7d, or raise history.read_deadline_seconds",
    ),
    (errors.InsufficientPrivilege, "The role of {url} lacks a privilege ({error})", _GRANT),
    (
        errors.ReadOnlySqlTransaction,
        "The history {url} cannot be written; nothing was recorded",
        "Use the primary",
    ),
    (
        errors.DiskFull,
        "The disk of {url} is full; nothing was recorded",
        "Free some space there, then try again",
    ),
    (
        errors.InvalidPassword,
        "{url} does not take the password",
        "Put the right one into ~/.pgpass, mode 0600, or the environment variable PGPASSWORD",
    ),
    (errors.DataCorrupted, "The history {url} is damaged ({error})", "Type: pratique audit verify"),
    (
        psycopg.OperationalError,
        "PostgreSQL does not answer at {url} ({error}); nothing was recorded",
        "Type: pg_isready -h {host} -p {port}, and look at history.database",
    ),
)
_OTHER = ("The history {url} failed: {error}", "Type: pratique audit verify")


def explain(error: Exception, url: ServerUrl) -> HistoryError:
    """Return the HistoryError for an error of PostgreSQL."""
    said = str(error).strip().splitlines() or [type(error).__name__]
    title, hint = next((rest for kind, *rest in _MEANINGS if isinstance(error, kind)), _OTHER)
    place = {"url": url, "host": url.host, "port": url.port, "error": said[0][:300]}
    return HistoryError(title.format(**place), hint=hint.format(**place))
