"""The session of Explore: a sandbox that keeps its state between runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.widget import Widget

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import Language, Session


class OpenSession:
    """The session that is open in Explore, if one is."""

    def __init__(self, screen: Widget) -> None:
        self._screen = screen
        self.current: Session | None = None
        """The open session."""

    def id_for(self, language: Language) -> str:
        """Return the id of the open session if it is one of this language, otherwise nothing."""
        return self.current.id if self.current and self.current.language is language else ""

    async def open(self, language: Language, image: str = "") -> Session | None:
        """Return the open session of this language, or open one in place of any other; None on an error."""
        if self.current is not None and self.id_for(language):
            return self.current
        await self.close()
        self.current = await self._request(lambda client: client.sessions.create(language, image))
        return self.current

    async def toggle(self, language: Language, image: str) -> None:
        """Open a session where none is open, or close the open one."""
        if self.current is None:
            await self.open(language, image)
        else:
            await self.close()

    async def close(self) -> None:
        """Close the session with whatever runs in it."""
        session, self.current = self.current, None
        if session is not None:
            await self._request(lambda client: client.sessions.close(session.id))

    async def _request(self, call: Callable[[Client], Awaitable[Session]]) -> Session | None:
        """Return what the engine answers; on an error notify the user and return None."""
        try:
            async with Client() as client:
                return await call(client)
        except Problem as problem:
            self._screen.notify(str(problem), severity="error")
            return None
