"""The engines that write one history at the same time: who lives, whom a submission is with, and calls."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg

from engine.history.api import PeerEngine
from engine.history.errors import HistoryError
from engine.history.store.postgres.connection import CHANNEL
from engine.history.store.postgres.errors import explain
from engine.history.store.postgres.link import ServerLink, connect, end
from engine.history.store.postgres.sealed_files import seal, unseal
from engine.history.store.postgres.url import ServerUrl
from engine.history.store.sql.ledger import Ledger
from engine.history.store.sql.writer import Writer

CALLS = "pratique_calls"
"""Where one engine asks another for something."""
LOOK_SECONDS = 1.0
"""How long the listener waits at most before it looks whether it is still wanted."""
_BEAT = "UPDATE engines SET beat = beat + 1, policy = %s WHERE name = %s"
_INSERT = """
INSERT INTO shared_files (sealed, name, version) VALUES (%s, %s, %s + 1) ON CONFLICT DO NOTHING
RETURNING version
"""
_REPLACE = """
UPDATE shared_files SET sealed = %s, version = version + 1 WHERE name = %s AND version = %s RETURNING version
"""
_FENCE = "UPDATE engines SET fenced = TRUE, token = '' WHERE name = ? AND beat = ?"
_VERSIONS = "SELECT id, seq FROM cases WHERE status IN ('pending', 'queued', 'running')"
_OFFER = """
WITH offered AS (UPDATE places SET engine = '' WHERE subject = %s AND engine = %s RETURNING subject)
SELECT pg_notify(%s, '') FROM offered
"""
_CLAIM = """
WITH free AS (
    SELECT subject FROM places WHERE engine = '' AND subject = ANY (%s::text[])
    AND EXISTS (SELECT 1 FROM engines WHERE name = %s AND NOT fenced)
    ORDER BY subject FOR UPDATE OF places SKIP LOCKED
)
UPDATE places SET engine = %s FROM free WHERE places.subject = free.subject RETURNING places.subject
"""
_PEERS = "SELECT name, beat, fenced, policy FROM engines ORDER BY name"


class PostgresEngines:
    """Implements Engines with a table, and with LISTEN and NOTIFY."""

    def __init__(self, url: ServerUrl, name: str, writer: Writer) -> None:
        self.name = name
        self._url = url
        self._writer = writer
        self._link: ServerLink | None = None
        self._lock = threading.Lock()
        self._closed = threading.Event()

    def listen(self, committed: Callable[[], None], called: Callable[[str], None]) -> None:
        """Call `committed` in the event loop after commits of any engine, and `called` with each call."""
        loop = asyncio.get_running_loop()

        def listening() -> None:
            while not self._closed.is_set():
                try:
                    self._listen(loop, committed, called)
                except (psycopg.Error, OSError):
                    self._closed.wait(LOOK_SECONDS)
                except RuntimeError:  # the loop has ended
                    return

        threading.Thread(target=listening, name="engines-listener", daemon=True).start()

    async def beat(self, policy: str) -> tuple[PeerEngine, ...]:
        """Say that this engine lives, and under which policy; return all engines."""
        await self._do(_BEAT, (policy, self.name))
        return tuple(PeerEngine(*row) for row in await self._do(_PEERS))

    async def fence(self, name: str, beat: int) -> None:
        """Let an engine commit nothing any more, until it is started again, unless it has beat since."""

        def work(ledger: Ledger) -> None:
            ledger.connection.execute(_FENCE, (name, beat))

        await self._writer.do(work)

    async def versions(self) -> Mapping[str, int]:
        """Return the number of the last record of each open submission."""
        return dict(await self._do(_VERSIONS))

    async def places(self) -> Mapping[str, str]:
        """Return with which engine each open submission is; empty where it is offered to all of them."""
        return dict(await self._do("SELECT subject, engine FROM places"))

    async def offer(self, id: str) -> None:
        """Offer a submission to all engines, and wake them, if it is with this one."""
        await self._do(_OFFER, (id, self.name, CHANNEL))

    async def offered(self) -> tuple[str, ...]:
        """Return the submissions that are offered."""
        return tuple(id for (id,) in await self._do("SELECT subject FROM places WHERE engine = ''"))

    async def claim(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Take those of these submissions that are offered still, and return them."""
        return tuple(id for (id,) in await self._do(_CLAIM, (list(ids), self.name, self.name)))

    async def call(self, text: str) -> None:
        """Tell all engines something, this one too; at most 5,000 bytes."""
        sealed = base64.b64encode(seal(self._writer.key, CALLS, text.encode())).decode()
        await self._do("SELECT pg_notify(%s, %s)", (CALLS, sealed))

    def opened(self, sealed: str) -> str:
        """Return the text of a call; empty where no engine has sealed it."""
        with contextlib.suppress(ValueError, HistoryError):
            return unseal(self._writer.key, CALLS, base64.b64decode(sealed, validate=True)).decode()
        return ""

    async def file(self, name: str) -> tuple[int, bytes]:
        """Return the version and the content of a file that the engines share; 0 where there is none."""
        rows = await self._do("SELECT version, sealed FROM shared_files WHERE name = %s", (name,))
        return (rows[0][0], unseal(self._writer.key, name, bytes(rows[0][1]))) if rows else (0, b"")

    async def put_file(self, name: str, known: int, content: bytes) -> bool:
        """Share a file in the place of the version that is known; return whether that was the last one."""
        sealed = seal(self._writer.key, name, content)
        query = _REPLACE if known else _INSERT
        return bool(await self._do(query, (sealed, name, known)))

    def close(self) -> None:
        """End the connections."""
        self._closed.set()
        with self._lock:
            if self._link:
                end(self._link)

    async def _do(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return await asyncio.to_thread(self._execute, query, values)
        except (psycopg.Error, OSError) as error:
            raise explain(error, self._url) from None

    def _execute(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            if self._closed.is_set():
                raise HistoryError("The history is closed")
            if self._link is None or self._link.is_lost:
                self._link = connect(self._url)
            cursor = self._link.execute(query.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def _listen(
        self,
        loop: asyncio.AbstractEventLoop,
        committed: Callable[[], None],
        called: Callable[[str], None],
    ) -> None:
        link = connect(self._url)
        try:
            for channel in (CHANNEL, CALLS):
                link.execute(f"LISTEN {channel}".encode())
            while not self._closed.is_set():
                loop.call_soon_threadsafe(committed)  # what came while nobody listened is found, too
                for told in link.notifies(timeout=LOOK_SECONDS, stop_after=1):
                    if told.channel == CALLS:
                        loop.call_soon_threadsafe(called, told.payload)
        finally:
            end(link)
