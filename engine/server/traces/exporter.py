"""Posts the trace of each submission that is over, and holds up nobody: what is not taken is dropped."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable, Iterator, Sequence
from importlib.metadata import version

from engine.common.text import Untrusted
from engine.core import Engine
from engine.history.errors import HistoryError
from engine.models import Check, Event
from engine.notifications.senders.delivery import DeliveryError
from engine.server.traces.otlp import otlp
from engine.server.traces.spans import TraceSpan, is_end, spans_of
from engine.settings import TraceSettings

WAITING = 1000
"""So many traces wait at most; more are dropped."""
TOGETHER = 50
"""So many are posted at once at most."""
ATTEMPTS = 4
PAUSE_SECONDS = 1.0
"""After the first attempt that failed; twice as long after each further one."""
READ_SECONDS = 10.0
"""How long the events of a submission may take to be read."""
HINT = "Look at traces in the settings (docs/deployment.md)"
Trail = Callable[[str], Awaitable[Sequence[Event]]]
"""Returns the events of a submission."""


class TraceExporter:
    """Reads what has ended from the history, and posts it as OTLP."""

    def __init__(self, settings: TraceSettings, trail: Trail) -> None:
        self._settings = settings
        self._trail = trail
        self._ended: asyncio.Queue[Event] = asyncio.Queue(WAITING)
        self._exported = self._dropped = 0
        self._error = ""
        self._resource = {
            "service.name": "pratique",
            "service.version": version("pratique"),
            "host.name": platform.node(),
        }

    def listen(self, event: Event) -> None:
        """Note a submission that is over, to export it soon."""
        if not is_end(event):
            return
        try:
            self._ended.put_nowait(event)
        except asyncio.QueueFull:
            self._dropped += 1

    async def run(self) -> None:
        """Export until cancelled."""
        while True:
            ended = [await self._ended.get()]
            while len(ended) < TOGETHER and not self._ended.empty():
                ended.append(self._ended.get_nowait())
            if traces := [(last.subject, spans) for last in ended if (spans := await self._spans(last))]:
                await self._export(traces)

    def checks(self) -> Iterator[Check]:
        """Yield the row of Health."""
        told = f"{self._exported} exported, {self._dropped} dropped"
        detail = f"{self._error}; {told}" if self._error else told
        yield Check(
            name="traces", ok=not self._error, detail=Untrusted(detail), hint=HINT if self._error else ""
        )

    async def _spans(self, last: Event) -> Sequence[TraceSpan]:
        """Return the spans of a submission, by its last event; none where the history does not answer."""
        try:
            async with asyncio.timeout(READ_SECONDS):
                trail = await self._trail(last.subject)
        except (HistoryError, TimeoutError):
            self._dropped += 1
            return ()
        return spans_of([*(event for event in trail if event.seq < last.seq), last])

    async def _export(self, traces: Sequence[tuple[str, Sequence[TraceSpan]]]) -> None:
        """Post traces; drop them where they are refused, or not taken after some attempts."""
        body = otlp(self._resource, traces)
        for attempt in range(ATTEMPTS):
            try:
                await self._post(body)
            except DeliveryError as error:
                self._error = f"{self._settings.url}: {error}"
                if error.refused or attempt == ATTEMPTS - 1:
                    break
                await asyncio.sleep(error.retry_after or PAUSE_SECONDS * 2**attempt)
            else:
                self._error = ""
                self._exported += len(traces)
                return
        self._dropped += len(traces)

    async def _post(self, body: bytes) -> None:
        from engine.notifications.senders.post import bearer, post  # noqa: PLC0415  httpx takes its time

        headers = {"content-type": "application/json", **bearer(self._settings.token_file)}
        await post(self._settings.url, body, headers, self._settings.seconds)


def export_traces(engine: Engine, settings: TraceSettings) -> None:
    """Export the traces of submissions, but of no drill, where the settings say where to."""
    if not settings.url:
        return
    exporter = TraceExporter(settings, engine.queries.trail)

    def listen(event: Event) -> None:
        if not engine.drills.is_drill(event.subject):
            exporter.listen(event)

    engine.queries.listen(listen)
    engine.supervisor.start("traces", exporter.run)
    engine.add_checks(exporter.checks)
