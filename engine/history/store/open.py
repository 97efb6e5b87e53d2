"""Opens the history where the settings say that it is kept."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path

from engine.common.engine_id import engine_id
from engine.history.errors import HistoryError, HistoryHeldError
from engine.history.store.moved import require_not_moved
from engine.history.store.sql.missing_checkpoints import missing_checkpoints
from engine.history.store.sql.store import SqlHistoryStore
from engine.history.store.sql.writer import checkpoints_of
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.history.witness import checkpoint_file
from engine.settings import HistorySettings

AGAIN_SECONDS = 0.2
"""How long after a refusal an engine that stands by asks for the lock again, where it waits in line."""


async def wait_for_history(
    settings: HistorySettings, path: Path, witness: Path | None, waiting: Callable[[str], None]
) -> SqlHistoryStore:
    """Open the history; where the settings say so, wait as long as another engine writes it.

    `waiting` is told once why.

    Raises:
        HistoryError: it cannot be opened.
    """
    told = False
    while True:
        try:
            return await open_history(settings, path, witness)
        except HistoryHeldError as error:
            if not settings.standby:
                raise
            if not told:
                waiting(error.title)
            told = True
            await asyncio.to_thread(_keep_checkpoints, settings.database, path)
        await asyncio.sleep(AGAIN_SECONDS)


async def open_history(settings: HistorySettings, path: Path, witness: Path | None) -> SqlHistoryStore:
    """Open the history in the database of the settings, or else in the file at `path`.

    The key that signs it lies beside `path` in both cases.

    Raises:
        HistoryError: it cannot be opened, goes on in a database that the settings do not name, or psycopg is
            not installed.
    """
    if not settings.database:
        if settings.engines == "several":
            raise HistoryError(
                "history.engines is several, and history.database names no PostgreSQL database",
                hint="Set both, as docs/several-engines.md says",
            )
        require_not_moved(path)
        return await SqliteHistoryStore.open(path, settings, witness)
    try:
        from engine.history.store.postgres.store import PostgresHistoryStore  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise HistoryError(
            f"history.database is set, and {error.name} is not installed",
            hint="Type: pip install 'pratique[postgres]'",
        ) from None
    engine = engine_name(settings, path) if settings.engines == "several" else ""
    return await PostgresHistoryStore.open(settings.database, path, settings, witness, engine)


def engine_name(settings: HistorySettings, path: Path) -> str:
    """Return the name of the engine with the history at `path` among several."""
    return settings.engine_name or engine_id(path.parent)


def _keep_checkpoints(url: str, path: Path) -> None:
    """Add what another engine has signed to the checkpoints on this machine, if the server answers."""
    from engine.history.store.postgres.database import PostgresDatabase  # noqa: PLC0415 - an extra
    from engine.history.store.postgres.url import ServerUrl  # noqa: PLC0415

    database = PostgresDatabase(ServerUrl(url), path)
    with (
        contextlib.suppress(*database.errors, HistoryError),
        contextlib.closing(database.reader(lambda: False)) as reader,
    ):
        if missing := missing_checkpoints(reader, checkpoints_of(path)):
            checkpoint_file.add(checkpoints_of(path), missing)
