"""Ports of running runs that a preview shows, and the events about that."""

from __future__ import annotations

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.history.event_bus import EventBus
from engine.models import Principal
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort

HINT = "A preview shows a server while its run goes on."


class PreviewedRuns:
    """Reaches ports of runs. Callers check access."""

    def __init__(self, events: EventBus, sandboxes: Backend) -> None:
        self._events = events
        self._sandboxes = sandboxes

    def goes_on(self, run: str) -> bool:
        """Return whether the code of a run is running."""
        return self._sandboxes.is_running(run)

    async def open(self, run: str, port: int, preview: str, by: Principal) -> GuestPort:
        """Reach a port of the loopback of a running run, and record that.

        Raises:
            Problem: it is not running (409).
        """
        try:
            found = await self._sandboxes.guest_port(run, port)
        except SandboxUnavailable as error:
            raise Problem(409, f"{visible(run)[:64]}: {error}", hint=error.hint or HINT) from None
        await self._events.record("preview.opened", run, by.name, data={"preview": preview, "port": port})
        return found

    async def closed(self, run: str, preview: str, requests: int) -> None:
        """Record that a preview is closed."""
        await self._events.record_soon("preview.closed", run, data={"preview": preview, "requests": requests})
