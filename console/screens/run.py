"""Run: what runs, what it writes, and what it uses; stop, kill, hold."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Static

from console.screens.place import Place
from console.state import console
from console.text import Part, content
from console.units import lasted, size
from console.widgets.meters import MeterPanel
from console.widgets.output_log import OutputLog
from console.widgets.runs import RAN, RunList
from engine.doors.client import Client
from engine.models import Case, Status, Summary

LATELY = 40


class RunScreen(Place):
    """The place to watch from."""

    NAME = "run"
    CSS_PATH = "run.tcss"
    HELP_TITLE = "Run"
    HELP_WORDS = (
        "What was approved runs here, each in a gVisor sandbox of its own. Output with a bar in the colour "
        "of errors is stderr. s asks a run to end (TERM, then KILL), K ends it at once, h holds it and lets "
        "it go on. The console can be closed: runs go on without it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "Stop", id="run.stop",
                tooltip="Ask the run to end; end it after a grace"),
        Binding("K", "kill", "Kill", id="run.kill", tooltip="End the run at once"),
        Binding("h", "hold", "Hold/go on", id="run.hold",
                tooltip="Freeze the run, or let it go on"),
        Binding("f", "follow", "Follow", id="run.follow", tooltip="Follow the newest output"),
        Binding("o", "open", "Open", id="run.open", tooltip="The whole case: code, decision, events"),
        Binding("left_square_bracket", "run(-1)", "Run before", key_display="[", id="run.before", show=False,
                tooltip="The run above"),
        Binding("right_square_bracket", "run(1)", "Next run", key_display="]", id="run.next",
                tooltip="The run below"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._case: Case | None = None
        self._frozen: set[str] = set()

    def contents(self) -> Iterable[Widget]:
        """Lay out the runs, and the chosen one large."""
        yield RunList(id="runs")
        with Vertical(id="chosen", classes="box"):
            yield Static(id="ending")
            yield MeterPanel(id="meters")
            yield OutputLog(id="output")

    def on_mount(self) -> None:
        """Follow what runs."""
        super().on_mount()
        self.query_one(OutputLog).hint = "Nothing written yet."
        self.watch(self.app, "queue", self._queue_changed)

    def _queue_changed(self) -> None:
        self._refresh_runs()

    @work(exclusive=True, group="runs")
    async def _refresh_runs(self) -> None:
        app = console(self)
        if app.link != "connected":
            return
        recent = await app.ask(lambda client: client.history(limit=LATELY)) or ()
        active = {each.id for each in app.queue}
        live = [each for each in app.queue if each.status in RAN]
        ended = [each for each in recent if each.status in RAN and each.id not in active]
        rows = self.query_one(RunList)
        rows.show((*live, *ended))
        self._choose(rows.chosen)

    @on(RunList.Moved)
    def _moved(self, message: RunList.Moved) -> None:
        self._choose(self.query_one(RunList).chosen)

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
        self._show(await console(self).ask(lambda client: client.case(id)))

    @work(exclusive=True, group="watch")
    async def _watch_run(self, id: str) -> None:
        app = console(self)
        self.query_one(OutputLog).clear()
        case = await app.ask(lambda client: client.case(id))
        self._show(case)
        if case is None:
            return
        async with asyncio.TaskGroup() as group:
            group.create_task(app.ask(lambda client: self._read_output(client, id)))
            if case.status in {Status.RUNNING, Status.QUEUED}:
                group.create_task(app.ask(lambda client: self._read_meters(client, id)))
        self._show(await app.ask(lambda client: client.case(id)))

    async def _read_output(self, client: Client, id: str) -> None:
        log = self.query_one(OutputLog)
        async for chunk in client.output(id):
            log.add(chunk)

    async def _read_meters(self, client: Client, id: str) -> None:
        panel = self.query_one(MeterPanel)
        async for sample in client.meters(id):
            panel.take(sample)

    def _show(self, case: Case | None) -> None:
        if case is None:
            return
        self._case = case
        self.query_one("#chosen").border_title = content(case.submission.id)
        self.query_one("#chosen").border_subtitle = content(case.submission.requester.name)
        self.query_one(MeterPanel).show(case)
        self.query_one("#ending", Static).update(content(*told(case)))
        self.query_one("#ending").set_class(True, "-said")
        self.refresh_bindings()

    # --- what can be done -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to end only what runs."""
        if action in {"stop", "kill", "hold"}:
            return self._case is not None and self._case.status is Status.RUNNING
        if action == "open":
            return self._case is not None
        return True

    async def action_stop(self) -> None:
        """Ask the run to end."""
        await self._tell("asked to end", lambda client, id: client.stop(id))

    async def action_kill(self) -> None:
        """End the run at once."""
        await self._tell("killed", lambda client, id: client.kill(id))

    async def action_hold(self) -> None:
        """Freeze the run, or let it go on."""
        id = self._case.submission.id if self._case else ""
        if id in self._frozen:
            await self._tell("goes on", lambda client, id: client.thaw(id))
            self._frozen.discard(id)
        else:
            await self._tell("is held", lambda client, id: client.freeze(id))
            self._frozen.add(id)

    async def _tell(self, words: str, call: Callable[[Client, str], Awaitable[None]]) -> None:
        if self._case is None:
            return
        id = self._case.submission.id

        async def done(client: Client) -> bool:
            await call(client, id)
            return True

        if await console(self).ask(done):
            self.notify(f"{id} {words}")

    def action_follow(self) -> None:
        """Follow the newest output."""
        self.query_one(OutputLog).action_follow()

    def action_run(self, step: int) -> None:
        """Choose another run."""
        self.query_one(RunList).cursor += step

    def action_open(self) -> None:
        """Open the case."""
        from console.screens.case import CaseScreen  # noqa: PLC0415  on its first use

        if self._case is not None:
            self.app.push_screen(CaseScreen(self._case.submission.id))


def told(case: Case) -> list[Part]:
    """Return how a run stands or ended, with its evidence."""
    result = case.result
    if result is None:
        return [(case.status.value, "bold success" if case.status is Status.RUNNING else "bold muted")]
    if result.kill_reason.value != "none":
        parts: list[Part] = [(f"killed: {result.kill_reason.value}", "bold error")]
        if result.evidence:
            parts.append((f"  {'; '.join(result.evidence)}", "muted"))
    else:
        ink = "bold success" if result.exit_code == 0 else "bold warning"
        parts = [(f"exit {result.exit_code}", ink)]
    parts.append((f"  {lasted(result.duration)}, peak {size(result.memory_peak)}", "muted"))
    if result.truncated:
        parts.append(("  output cut at its limit", "warning"))
    return parts
