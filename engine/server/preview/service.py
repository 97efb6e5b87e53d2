"""The open previews; each ends with its run, or with its session."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.common.text import visible
from engine.core.runs.previewed import PreviewedRuns
from engine.models import OpenedPreview, Preview, PreviewRequest, Principal, Submission
from engine.server.preview.listener import PreviewListener

MOST = 16
LOOK_SECONDS = 0.5


class Previews:
    """Opens and closes previews."""

    def __init__(self, runs: PreviewedRuns, supervisor: Supervisor) -> None:
        self._runs = runs
        self._supervisor = supervisor
        self._open: dict[str, PreviewListener] = {}

    async def open(self, submission: Submission, port: int, by: Principal) -> OpenedPreview:
        """Open a preview of a port of a running run, or of the session that it ran in.

        Raises:
            Problem: neither goes on (409), or there are too many previews (429).
        """
        if len(self._open) >= MOST:
            raise Problem(429, f"{MOST} previews are open already", hint="Close one first.")
        id = f"pre-{secrets.token_hex(6)}"
        run, session = submission.id, submission.draft.session
        guest = await self._runs.open(run, session, port, id, by)
        listener = PreviewListener(id, run, port, guest)
        await listener.start()
        self._open[id] = listener
        self._supervisor.start(f"preview {id}", partial(self._close_with_run, listener, session))
        return listener.link()

    def listed(self) -> tuple[Preview, ...]:
        """Return the open previews, the oldest first."""
        return tuple(listener.preview for listener in self._open.values())

    def link(self, id: str) -> OpenedPreview:
        """Return a new link to a preview. Raises Problem where there is none (404)."""
        return self._known(id).link()

    def requests(self, id: str) -> tuple[PreviewRequest, ...]:
        """Return the last requests to a preview. Raises Problem where there is none (404)."""
        return tuple(self._known(id).requests)

    async def close(self, id: str) -> None:
        """Close a preview. Raises Problem where there is none (404)."""
        listener = self._known(id)
        del self._open[id]
        await listener.close()
        await self._runs.closed(listener.run, id, listener.preview.requests)

    def _known(self, id: str) -> PreviewListener:
        if id not in self._open:
            raise Problem(404, f"no preview {visible(id)[:64]} is open", hint="Type: pratique preview list")
        return self._open[id]

    async def _close_with_run(self, listener: PreviewListener, session: str) -> None:
        gone, answered = asyncio.create_task(listener.guest.wait_closed()), 0
        try:
            while self._runs.goes_on(listener.run, session) and not gone.done():
                await asyncio.wait({gone}, timeout=LOOK_SECONDS)
                if answered != listener.preview.requests:
                    answered = listener.preview.requests
                    self._runs.used(session)
        finally:
            gone.cancel()
            if listener.id in self._open:
                await self.close(listener.id)
