"""The history of one engine in a PostgreSQL database."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Self

from engine.history.store.postgres.database import PostgresDatabase
from engine.history.store.postgres.engines import PostgresEngines
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql.store import SqlHistoryStore
from engine.settings import HistorySettings


class PostgresHistoryStore(SqlHistoryStore):
    """The history in a PostgreSQL database; its key and its checkpoints lie on this machine."""

    _engines: PostgresEngines | None = None

    @classmethod
    async def open(
        cls,
        url: str,
        path: Path,
        settings: HistorySettings,
        witness: Path | None = None,
        engine: str = "",
    ) -> Self:
        """Open the history at `url`, and create it if there is none; the key lies beside `path`.

        The newest signed head is kept in the file `witness` too. With the name of an `engine` others may
        write the history at the same time.

        Raises:
            HistoryError: the server does not answer or may not be trusted, or the history is of another
                format, unwritable, or in use by another engine.
        """
        made = await cls.start(PostgresDatabase(ServerUrl(url), path, engine), settings, witness)
        made.join(url, engine)
        return made

    def join(self, url: str, engine: str) -> None:
        """Write beside other engines, under this name; alone where it is empty."""
        if engine:
            self._engines = PostgresEngines(ServerUrl(url), engine, self._writer)

    @property
    def engines(self) -> PostgresEngines | None:
        """The engines that write it at the same time; None where one writes alone."""
        return self._engines

    async def close(self) -> None:
        """Write what is waiting, and release the store."""
        if self._engines:
            await asyncio.to_thread(self._engines.close)
        await super().close()
