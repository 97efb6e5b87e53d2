"""The stores of several engines over one database of the tests' own server."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from engine.history.store.open import open_history
from engine.history.store.sql.store import SqlHistoryStore
from engine.settings import HistorySettings
from tests.postgres_server import server


def database_of(folder: Path) -> str:
    """Return the URL of the database of a test, empty at first."""
    return server().database(f"of_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}")


def place(folder: Path, number: int) -> Path:
    """Return where the key and the checkpoints of an engine lie: each has a copy of the first one's key."""
    path, first = folder / f"e{number}" / "pratique.db", folder / "e0" / "pratique.key"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    if first.exists() and number:
        shutil.copy(first, path.with_suffix(".key"))
    return path


async def opened(url: str, folder: Path, number: int) -> SqlHistoryStore:
    """Open the history as one of several engines."""
    settings = HistorySettings(
        database=url, engines="several", engine_name=f"e{number}", batch_milliseconds=5, checkpoint_events=40
    )
    return await open_history(settings, place(folder, number), None)


@asynccontextmanager
async def all_opened(url: str, folder: Path, count: int) -> AsyncIterator[list[SqlHistoryStore]]:
    """Open the history as so many engines, for the time of a block."""
    async with AsyncExitStack() as closing:
        made = []
        for number in range(count):
            made.append(await opened(url, folder, number))
            closing.push_async_callback(made[-1].close)
        yield made
