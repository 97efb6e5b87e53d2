"""Shows the server of a run, or of the open session, in the browser."""

from __future__ import annotations

import asyncio
from functools import partial

from textual.screen import Screen

from console.app.state import console_app
from console.explore.preview.port import port_of
from console.explore.sessions import OpenSession
from engine.client.client import Client
from engine.models import Case, OpenedPreview

NOTHING = (
    "Run a program that listens on a port first: it is shown while it runs, in a session also afterwards."
)


class ServerPreview:
    """Opens one preview of each port, copies its link and keeps it to be shown."""

    def __init__(self, screen: Screen[None], session: OpenSession) -> None:
        self._screen = screen
        self._session = session
        self._known: dict[tuple[str, int], str] = {}
        """The previews that were opened, by run or session, and port."""
        self._opening = asyncio.Lock()
        self._place = self._link = ""

    def link(self, run: str) -> str:
        """Return the link of what goes on, `run` or the open session; empty where it has none."""
        session = self._session.current
        return self._link if self._place in {run, session.id if session else ""} else ""

    async def open(self, running: Case | None, code: str) -> None:
        """Open a preview of what runs, or else of what the session keeps; `code` says the port."""
        if self._opening.locked():
            return
        async with self._opening:
            served = await self._served(running)
            if served is None:
                self._screen.app.notify(NOTHING)
            else:
                await self._show(*served, port_of(code))

    async def _served(self, running: Case | None) -> tuple[str, str] | None:
        """Return a run, and where its server lives: in the run itself or in its session."""
        if running is not None:
            return running.submission.id, running.submission.draft.session or running.submission.id
        session = self._session.current
        if session is None:
            return None
        connection = console_app(self._screen).connection
        known = await connection.call(lambda client: client.sessions.get(session.id))
        return (known.executions[-1], session.id) if known and known.executions else None

    async def _show(self, run: str, place: str, port: int) -> None:
        known = self._known.get((place, port), "")
        app = console_app(self._screen)
        opened = await app.connection.call(partial(_opened, run=run, port=port, known=known))
        if opened is not None:
            self._known[place, port] = opened.preview.id
            self._place, self._link = place, opened.link
            app.copy_to_clipboard(opened.link)
            app.notify(f"The link to port {port} is copied. It works once; alt+p makes another.")


async def _opened(client: Client, run: str, port: int, known: str) -> OpenedPreview:
    """Return a link to the preview that is known, if it is open, otherwise to another one."""
    if known in {each.id for each in await client.previews.list()}:
        return await client.previews.link(known)
    return await client.previews.open(run, port)
