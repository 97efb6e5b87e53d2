"""The history of one engine in a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from engine.history.store.postgres.database import PostgresDatabase
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql.store import SqlHistoryStore
from engine.settings import HistorySettings


class PostgresHistoryStore(SqlHistoryStore):
    """The history in a PostgreSQL database; its key and its checkpoints lie on this machine."""

    @classmethod
    async def open(cls, url: str, path: Path, settings: HistorySettings, witness: Path | None = None) -> Self:
        """Open the history at `url`, and create it if there is none; the key lies beside `path`.

        The newest signed head is kept in the file `witness` too.

        Raises:
            HistoryError: the server does not answer or may not be trusted, or the history is of another
                format, unwritable, or in use by another engine.
        """
        return await cls.start(PostgresDatabase(ServerUrl(url), path), settings, witness)
