"""Ports of running runs and of sessions that a preview shows, and the events about that."""

from __future__ import annotations

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.core.sessions.registry import SessionRegistry
from engine.models import Principal
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort

HINT = "A preview shows a server while its run goes on, or while its session is open."


class PreviewedRuns:
    """Reaches ports of runs. Callers check access. `session` is that of the run; empty where it has none."""

    def __init__(self, events: EventBus, sandboxes: Backend, sessions: SessionRegistry) -> None:
        self._events = events
        self._sandboxes = sandboxes
        self._sessions = sessions

    def goes_on(self, run: str, session: str) -> bool:
        """Return whether the code of a run is running, or its session has kept what that started."""
        if session:
            return self._sandboxes.sessions.has_state(session)
        return self._sandboxes.is_running(run)

    def used(self, session: str) -> None:
        """Note that a session is used: it is not idle."""
        self._sessions.used(session)

    async def open(self, run: str, session: str, port: int, preview: str, by: Principal) -> GuestPort:
        """Reach a port of the loopback of a running run or of its session, and record that.

        Raises:
            Problem: it is not running, and has no session that is open (409).
        """
        try:
            found = await self._sandboxes.guest_port(run, port, session)
        except SandboxUnavailable as error:
            raise Problem(409, f"{visible(run)[:64]}: {error}", hint=error.hint or HINT) from None
        await self._events.record("preview.opened", run, by.name, data={"preview": preview, "port": port})
        return found

    async def closed(self, run: str, preview: str, requests: int) -> None:
        """Record that a preview is closed."""
        await self._events.record_soon("preview.closed", run, data={"preview": preview, "requests": requests})
