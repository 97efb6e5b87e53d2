"""The session of Explore: a sandbox that keeps its state between runs."""

from __future__ import annotations

from textual.widget import Widget

from console.app.state import console_app
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
        connection = console_app(self._screen).connection
        self.current = await connection.call(lambda client: client.sessions.create(language, image))
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
            connection = console_app(self._screen).connection
            await connection.call(lambda client: client.sessions.close(session.id))
