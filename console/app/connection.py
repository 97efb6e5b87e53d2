"""The connection to the engine: attach, follow its events, reconnect."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from console.app.queue_updates import QueueUpdates
from engine.common.errors import Problem

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from engine.client.client import Client
    from engine.models import Event, Health

_T = TypeVar("_T")
Connect = Callable[[], "Awaitable[Client]"]
RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0)
HEALTH_SECONDS = 1.0
KNOWN_SECONDS = 4.5
"""What the engine said of its health longer ago is not known any more."""
REFRESH_SECONDS = 0.05
"""The queue is fetched at most twenty times a second, however many events arrive."""
RECONNECTING = "Reconnecting… Nothing that you typed is lost."


class EngineConnection:
    """Keeps the app connected: sets its queue, health and connection state, and passes events on."""

    def __init__(self, app: ConsoleApp, connect: Connect | None = None) -> None:
        self._app = app
        self._connect = connect
        self._client: Client | None = None
        self._subscribers: list[Callable[[Event], None]] = []
        self._health_at = float("-inf")
        self._said = ""
        """Why the engine was offline at the last try."""

    @property
    def client(self) -> Client:
        """The connected client. Raises Problem where the engine is offline."""
        if self._client is None:
            raise Problem(503, "The engine is offline", hint="The console reconnects by itself")
        return self._client

    @property
    def health_age(self) -> float:
        """The seconds since the engine last said how it is; endless where it never did."""
        return time.monotonic() - self._health_at

    @property
    def knows_health(self) -> bool:
        """Whether what the engine said of its health is recent."""
        return self._app.connection_state != "offline" and self.health_age <= KNOWN_SECONDS

    def note_health(self, health: Health) -> None:
        """Take in what the engine says of its health."""
        self._health_at = time.monotonic()
        self._app.health = health

    def start(self) -> None:
        """Connect, and reconnect for as long as the app runs."""
        self._app.run_worker(self._run(), group="connection", exclusive=True)

    def subscribe(self, subscriber: Callable[[Event], None]) -> Callable[[], None]:
        """Call `subscriber` with every event; return a function that ends this."""
        self._subscribers.append(subscriber)
        return lambda: self._subscribers.remove(subscriber)

    async def call(self, request: Callable[[Client], Awaitable[_T]]) -> _T | None:
        """Return the engine's response; on an error notify the user and return None.

        Returns None, too, where the app was closed meanwhile: nothing is left to show the response.
        """
        try:
            response = await request(self.client)
        except Problem as problem:
            self._app.notify(str(problem), severity="error")
            return None
        return response if self._app.is_running else None

    async def _run(self) -> None:
        connect, tries = self._connect or await _attach("connect"), 0
        while True:
            try:
                client = await connect()
                connect, tries = self._connect or await _attach("reconnect"), 0
                await self._follow(client)
            except* Problem as problems:
                self._disconnected(_first(problems))
            await asyncio.sleep(RETRY_SECONDS[min(tries, len(RETRY_SECONDS) - 1)])
            tries += 1

    async def _follow(self, client: Client) -> None:
        try:
            self.note_health(await client.health())
            await self._load_queue(client, QueueUpdates())
            self._connected(client)
            updates = QueueUpdates()
            async with asyncio.TaskGroup() as group:
                group.create_task(self._receive_events(client, updates))
                group.create_task(self._refresh_queue(client, updates))
                group.create_task(self._refresh_health(client))
        finally:
            await client.close()

    def _connected(self, client: Client) -> None:
        if self._app.connection_state == "offline":
            self._app.notify("Reconnected to the engine.")
        self._client = client
        self._app.connection_state = "connected"

    def _disconnected(self, problem: Problem) -> None:
        if self._app.connection_state != "offline":
            was_connected = self._app.connection_state == "connected"
            words = RECONNECTING if was_connected else str(problem)
            self._app.notify(words, title="Engine offline", severity="error")
        elif problem.hint and str(problem) != self._said:
            self._app.notify(str(problem), title="Engine offline", severity="error")
        self._said = str(problem)
        self._client = None
        self._app.connection_state = "offline"

    async def _receive_events(self, client: Client, updates: QueueUpdates) -> None:
        async for event in client.events():
            updates.note(event)
            for subscriber in tuple(self._subscribers):
                subscriber(event)
        raise Problem(503, "the engine closed the connection")

    async def _refresh_queue(self, client: Client, updates: QueueUpdates) -> None:
        while True:
            await self._load_queue(client, updates)
            await asyncio.sleep(REFRESH_SECONDS)
            await updates.wait()
            await asyncio.sleep(self._app.queue_seconds)

    async def _load_queue(self, client: Client, updates: QueueUpdates) -> None:
        app = self._app
        entries = await updates.load(client, app.queue_entries)
        if entries is app.queue_entries:
            return
        queue = tuple(each.summary for each in entries.values())
        same, app.queue_entries = queue == app.queue, entries
        app.queue = queue
        if same:
            app.mutate_reactive(type(app).queue)

    async def _refresh_health(self, client: Client) -> None:
        while True:
            self.note_health(await client.health())
            await asyncio.sleep(HEALTH_SECONDS)


async def _attach(how: str) -> Connect:
    """Return what connects: `connect`, or `reconnect`, which starts no engine that somebody stopped."""
    module = await asyncio.to_thread(__import__, "engine.client.connect", fromlist=["connect"])
    attach: Connect = getattr(module, how)
    return attach


def _first(problems: BaseExceptionGroup[Problem]) -> Problem:
    first = problems.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
