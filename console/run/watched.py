"""The runs and the chosen one: read and shown while the engine is there, and taken up after it was away."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from textual import on, work
from textual.widgets import Static

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.run.meters import MeterPanel
from console.run.output_log import OutputLog
from console.run.result_text import told
from console.run.run_list import RAN, RunList
from console.run.streams import Following, LeaseStatus, Meterings
from console.run.usage import Usage
from console.safety.text import Part, content
from console.widgets.repaint import set_border_title
from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import Case, Event, Status, Summary

LATELY = 40
AGAIN_SECONDS = 0.5
TRIES = 5


class Watched(BaseScreen):
    """A place with a list of runs and one of them large."""

    def __init__(self) -> None:
        super().__init__()
        self._case: Case | None = None
        self._live: tuple[tuple[str, Status], ...] | None = None
        self._meterings = Meterings()
        self._usage = Usage()
        self._held = LeaseStatus()
        self._said: list[Part] = []
        self._stands = content()

    def on_mount(self) -> None:
        """Follow what runs."""
        super().on_mount()
        self.query_one(OutputLog).hint = "Nothing written yet."
        rows = self.query_one(RunList)
        rows.usage, rows.frozen = self._meterings.of, self._held
        self.query_one(MeterPanel).held = self._held.seconds
        self._forget = console_app(self).listen(self._happened)
        self.watch(self.app, "queue", self._queue_changed)
        self.watch(self.app, "link", self._link_changed, init=False)
        self.set_interval(0.2, self._say)

    def on_unmount(self) -> None:
        """Listen no more."""
        self._forget()

    # --- the runs ---------------------------------------------------------------------------------

    def _happened(self, event: Event) -> None:
        self._held.happened(event)

    def _link_changed(self, link: str) -> None:
        if link == "connected":
            self._live = None
            self._queue_changed()

    def _queue_changed(self) -> None:
        queue = console_app(self).queue
        live = tuple((each.id, each.status) for each in queue if each.status in RAN)
        if live != self._live:
            self._live = live
            self._refresh_runs()

    @work(exclusive=True, group="runs")
    async def _refresh_runs(self) -> None:
        app = console_app(self)
        if app.link == "lost":
            return
        recent = await app.ask(lambda client: client.history(limit=LATELY)) or ()
        active = {each.id for each in app.queue}
        live = [each for each in app.queue if each.status in RAN]
        ended = [each for each in recent if each.status in RAN and each.id not in active]
        for id in self._meterings.wanted(each.id for each in live if each.status is Status.RUNNING):
            self._read_meters(id)
        rows = self.query_one(RunList)
        rows.show((*live, *ended))
        self._choose(rows.chosen)

    @work(group="meters")
    async def _read_meters(self, id: str) -> None:
        await self._tried(lambda client: self._meterings.read(client, id))

    async def _tried(self, call: Callable[[Client], Awaitable[object]]) -> bool:
        """Say whether the engine answered; that it is lost is said elsewhere."""
        try:
            await call(console_app(self).client)
        except Problem:
            return False
        return True

    @on(RunList.Moved)
    def _moved(self, message: RunList.Moved) -> None:
        self._choose(self.query_one(RunList).chosen)

    # --- the chosen one ---------------------------------------------------------------------------

    def _choose(self, summary: Summary | None) -> None:
        shown = self._case.submission.id if self._case else None
        if summary is None:
            return
        changed = self._case is not None and self._case.status is not summary.status
        if summary.id != shown:
            self._watch_run(summary.id)
        elif changed:
            self._look_again(summary.id)

    @work(exclusive=True, group="look")
    async def _look_again(self, id: str) -> None:
        self._show(await console_app(self).ask(lambda client: client.case(id)))

    @work(exclusive=True, group="watch")
    async def _watch_run(self, id: str) -> None:
        log = self.query_one(OutputLog)
        log.clear()
        self._usage = self._meterings.of.setdefault(id, Usage())
        following, tries = Following(id, log.add), 0
        while not following.over and tries < TRIES:
            await self._tried(lambda client: self._look_at(client, id))
            if not await self._tried(following.read):
                tries += console_app(self).link == "connected"
                await asyncio.sleep(AGAIN_SECONDS)
        await self._tried(lambda client: self._look_at(client, id))

    async def _look_at(self, client: Client, id: str) -> None:
        case = await client.case(id)
        self._show(case)
        if case.status is Status.RUNNING:
            self._held.recall(id, await client.trail(id))
            self._show(case)
            self.query_one(RunList).freshen()

    def _show(self, case: Case | None) -> None:
        if case is None:
            return
        self._case = case
        set_border_title(self.query_one("#chosen"), content(case.submission.id))
        set_border_title(self.query_one("#chosen"), content(case.submission.requester.name), below=True)
        self.query_one(MeterPanel).show(case, self._usage)
        self.query_one(OutputLog).live = case.result is None
        held = case.submission.id in self._held and case.result is None
        words: list[Part] = [("held", "bold warning"), ("  h lets it go on", "muted")] if held else told(case)
        if not (stands := content(*words)).is_same(self._stands):
            self._stands = stands
            self.query_one("#ending", Static).update(stands)
        self.query_one("#ending").set_class(True, "-said")
        self.refresh_bindings()

    def _say(self) -> None:
        if not self.is_current or self._case is None:
            return
        said = self.query_one(OutputLog).summary()
        if console_app(self).link == "lost":
            said = [("the engine is away: what was written since will follow  ", "warning"), *said]
        if said != self._said:
            self._said = said
            self.query_one("#said", Static).update(content(*said), layout=False)
