"""Keeps the list of runs and the chosen run up to date, also after the connection to the engine was lost."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial

from textual.screen import Screen

from console.app.state import console_app
from console.app.workers import run_in_background
from console.run.output_log import OutputLog
from console.run.run_list import RAN, RunList
from console.run.streams import MeterStreams, OutputReader, PausedRuns
from console.run.usage import UsageHistory
from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import Case, Status, Summary

RECENT = 40
"""Ended runs that are listed."""
RETRY_SECONDS = 0.5
RETRIES = 5
EXPECTED_SECONDS = 10.0
"""For how long a run that was approved here is waited for."""


class RunWatcher:
    """Reads the runs, the chosen run's case and output, and the meters of all that run."""

    def __init__(self, screen: Screen[None], show: Callable[[], None]) -> None:
        self._followed = ""
        self._case: Case | None = None
        self.usage = UsageHistory()
        """What the chosen run used in the last minute."""
        self.meters = MeterStreams()
        self.paused = PausedRuns()
        self._screen = screen
        self._show = show
        self._live: tuple[tuple[str, Status], ...] | None = None
        self._expected, self._expected_until = "", 0.0

    @property
    def case(self) -> Case | None:
        """The chosen run, once it is loaded."""
        known = self._case is not None and self._case.submission.id == self._followed
        return self._case if known else None

    @property
    def is_paused(self) -> bool:
        """Whether the chosen run is paused."""
        return self.case is not None and self.case.result is None and self.case.submission.id in self.paused

    # --- the list ---------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the runs again, whatever the queue says: a run may have begun and ended between two looks."""
        self._live = None
        self.queue_changed()

    def queue_changed(self) -> None:
        """Read the runs again if one started, ended or was queued."""
        queue = console_app(self._screen).queue
        live = tuple((each.id, each.status) for each in queue if each.status in RAN)
        if live != self._live:
            self._live = live
            run_in_background(self._screen, self._load_runs, "runs")

    async def _load_runs(self) -> None:
        app = console_app(self._screen)
        if app.connection_state == "offline":
            return
        recent = await app.connection.call(lambda client: client.history.search(limit=RECENT)) or ()
        active = {each.id for each in app.queue}
        live = [each for each in app.queue if each.status in RAN]
        ended = [each for each in recent if each.status in RAN and each.id not in active]
        for id in self.meters.missing(each.id for each in live if each.status is Status.RUNNING):
            run_in_background(self._screen, partial(self._read_meters, id), "meters", exclusive=False)
        rows = self._screen.query_one(RunList)
        expected = self._expected if time.monotonic() < self._expected_until else ""
        rows.show((*live, *ended), expected)
        if not expected or (rows.chosen is not None and rows.chosen.id == expected):
            self.choose(rows.chosen)

    async def _read_meters(self, id: str) -> None:
        await self._try(lambda client: self.meters.read(client, id))

    async def _try(self, call: Callable[[Client], Awaitable[object]]) -> bool:
        """Return whether the engine answered; the header reports a lost connection."""
        try:
            await call(console_app(self._screen).connection.client)
        except Problem:
            return False
        return True

    # --- the chosen run ---------------------------------------------------------------------------

    def expect(self, id: str) -> None:
        """Follow a run whose approval is being sent from here, unless a run that goes on is on screen."""
        if self.case is None or self.case.status is not Status.RUNNING:
            self._expected, self._expected_until = id, time.monotonic() + EXPECTED_SECONDS
            self._start(id)

    def choose(self, summary: Summary | None) -> None:
        """Follow another run, or read the chosen one again when its status changed."""
        self._expected = ""
        if summary is None:
            return
        if self.case is None or summary.id != self.case.submission.id:
            self._start(summary.id)
        elif self.case.status is not summary.status:
            run_in_background(self._screen, partial(self._reload, summary.id), "look")

    def _start(self, id: str) -> None:
        self._followed = id
        run_in_background(self._screen, partial(self._follow, id), "watch")

    async def _reload(self, id: str) -> None:
        self._take(await console_app(self._screen).connection.call(lambda client: client.case(id)))

    async def _follow(self, id: str) -> None:
        log = self._screen.query_one(OutputLog)
        log.clear()
        self.usage = self.meters.usage.setdefault(id, UsageHistory())
        reader, tries = OutputReader(id, log.add), 0
        while not reader.finished and tries < RETRIES:
            await self._try(lambda client: self._load_case(client, id))
            if not await self._try(reader.read):
                tries += console_app(self._screen).connection_state == "connected"
                await asyncio.sleep(RETRY_SECONDS)
        await self._try(lambda client: self._load_case(client, id))

    async def _load_case(self, client: Client, id: str) -> None:
        case = await client.case(id)
        self._take(case)
        if case.status is Status.RUNNING:
            self.paused.reload(id, await client.history.events(id))
            self._take(case)
            self._screen.query_one(RunList).freshen()

    def _take(self, case: Case | None) -> None:
        """Show a case, if the cursor is still on it when the engine answers."""
        if case is not None and case.submission.id == self._followed:
            self._case = case
            self._show()
