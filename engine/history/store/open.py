"""Opens the history where the settings say that it is kept."""

from __future__ import annotations

from pathlib import Path

from engine.history.errors import HistoryError
from engine.history.store.moved import require_not_moved
from engine.history.store.sql.store import SqlHistoryStore
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.settings import HistorySettings


async def open_history(settings: HistorySettings, path: Path, witness: Path | None) -> SqlHistoryStore:
    """Open the history in the database of the settings, or else in the file at `path`.

    The key that signs it lies beside `path` in both cases.

    Raises:
        HistoryError: it cannot be opened, goes on in a database that the settings do not name, or psycopg is
            not installed.
    """
    if not settings.database:
        require_not_moved(path)
        return await SqliteHistoryStore.open(path, settings, witness)
    try:
        from engine.history.store.postgres.store import PostgresHistoryStore  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise HistoryError(
            f"history.database is set, and {error.name} is not installed",
            hint="Type: pip install 'pratique[postgres]'",
        ) from None
    return await PostgresHistoryStore.open(settings.database, path, settings, witness)
