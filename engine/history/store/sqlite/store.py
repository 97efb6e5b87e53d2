"""The history of one engine in one SQLite file."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from engine.history.store.sql.store import SqlHistoryStore
from engine.history.store.sqlite.database import SqliteDatabase
from engine.settings import HistorySettings


class SqliteHistoryStore(SqlHistoryStore):
    """The history in one SQLite file."""

    @classmethod
    async def open(cls, path: Path, settings: HistorySettings, witness: Path | None = None) -> Self:
        """Open the history at `path`, and create it if there is none.

        The newest signed head is kept in the file `witness` too.

        Raises:
            HistoryError: it is damaged, of another format, unwritable, or in use by another engine.
        """
        return await cls.start(SqliteDatabase(path), settings, witness)
