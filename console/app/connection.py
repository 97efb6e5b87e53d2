"""The line to the engine: whether it answers, what it says, and who listens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from textual import work
from textual.app import App
from textual.reactive import reactive

if TYPE_CHECKING:
    from console.app.engine_link import Connect
    from engine.client.client import Client
    from engine.common.errors import Problem
    from engine.models import Event, Health, Summary

_T = TypeVar("_T")
AWAY = "It is asked again by itself. Nothing that was typed here is lost."
"""What is said of an engine that answered until now: how its connection broke helps nobody."""


class Attached(App[None]):
    """An app that knows the engine through a client, and keeps nothing that is not the engine's."""

    queue: reactive[tuple[Summary, ...]] = reactive[tuple["Summary", ...]]((), repaint=False)
    health: reactive[Health | None] = reactive["Health | None"](None, repaint=False)
    link: reactive[str] = reactive("starting", repaint=False)
    """How it stands with the engine: `starting`, `connected` or `lost`."""

    def __init__(self, connect: Connect | None = None) -> None:
        super().__init__()
        self._connect = connect
        self._client: Client | None = None
        self._listeners: list[Callable[[Event], None]] = []

    @work(exclusive=True, group="link")
    async def keep_attached(self) -> None:
        """Stay attached to the engine, for as long as the app lives."""
        from console.app import engine_link  # noqa: PLC0415

        connect = self._connect
        if connect is None:
            from engine.client.attach import attach  # noqa: PLC0415

            connect = attach
        await engine_link.keep(self, connect)

    @property
    def client(self) -> Client:
        """The client that is attached. Raises Problem where none is."""
        if self._client is None:
            from engine.common.errors import Problem  # noqa: PLC0415

            raise Problem(503, "the engine does not answer", hint="The console attaches again by itself")
        return self._client

    def attached(self, client: Client) -> None:
        """Take in a client that answers."""
        if self.link == "lost":
            self.notify("The engine answers again.")
        self._client = client
        self.link = "connected"

    def lost(self, problem: Problem) -> None:
        """Take in that the engine does not answer."""
        if self.link != "lost":
            words = AWAY if self.link == "connected" else str(problem)
            self.notify(words, title="The engine does not answer", severity="error")
        self._client = None
        self.link = "lost"

    def happened(self, event: Event) -> None:
        """Tell whoever listens what the engine recorded."""
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every event; return how to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def ask(self, call: Callable[[Client], Awaitable[_T]]) -> _T | None:
        """Return what the engine answers to `call`; where that is no, say so and return None.

        A console that closes meanwhile has nowhere to show an answer: None too.
        """
        from engine.common.errors import Problem  # noqa: PLC0415

        try:
            answer = await call(self.client)
        except Problem as problem:
            self.notify(str(problem), severity="error")
            return None
        return answer if self.is_running else None
