"""What a run is doing: its processes, what they have open, what it wrote, its last effects, and its stack."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.review.display_delay import DisplayDelay
from console.run.effects import surprises_of
from console.run.lines import LinesScreen
from console.run.snapshot_text import look_paragraphs
from console.safety.text import paragraphs
from console.widgets.footer import KeyFooter
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models.snapshot import RunSnapshot

REFRESH_SECONDS = 1.0
_NOT_RUNNING = 409


class LookScreen(ModalScreen[None]):
    """Shows what one run is doing, follows it while it goes on, and pauses, resumes or kills it."""

    AUTO_FOCUS = "#look"
    HELP_TITLE = "Look"
    HELP_WORDS = (
        "What the run is doing, as gVisor's kernel told it: processes, the files and sockets that the code "
        "opened, what it wrote, its last hundred effects. The stack is the guest's own word. p pauses the "
        "run and lets it go on, K kills it. A run that the policy paused at a surprise opens this sheet."
    )
    DEFAULT_CSS = """
    LookScreen .sheet Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "pause", "Pause/Resume", id="look.pause", tooltip="Pause the run, or let it go on"),
        Binding("K", "kill", "Kill", id="look.kill", tooltip="Kill the run at once"),
        Binding("l", "lines", "Lines", id="look.lines", tooltip="Show the code with the lines that ran"),
        Binding("escape,q,i", "leave", "Close", id="look.close", tooltip="Close"),
    ]  # fmt: skip

    def __init__(self, run: str, why: str = "") -> None:
        super().__init__()
        self._run = run
        self._why = Untrusted(why)
        self._seen: RunSnapshot | None = None
        self._delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        with VerticalScroll(id="look", classes="sheet") as sheet:
            sheet.border_title = f"Look: {self._run}"
            sheet.border_subtitle = "p pause or resume   K kill   Esc closes"
            yield Static("Loading …", id="look-lines")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Look, and again every second while the run goes on."""
        self._delay.restart()
        self._load()
        self._timer = self.set_interval(REFRESH_SECONDS, self._refresh)

    def _refresh(self) -> None:
        if console_app(self).connection_state == "connected":
            self._load()

    @work(exclusive=True)
    async def _load(self) -> None:
        await console_app(self).connection.call(self._read)

    async def _read(self, client: Client) -> None:
        lines = self.query_one("#look-lines", Static)
        try:
            seen = await client.look(self._run)
        except Problem as problem:
            if problem.status != _NOT_RUNNING:
                raise
            self._timer.stop()
            lines.update(paragraphs([("It does not run any more. ", "muted"), "e shows what it did."]))
            return
        if seen != self._seen:
            self._seen = seen
            surprises = surprises_of(await client.effects(self._run))
            lines.update(paragraphs(*look_paragraphs(seen, surprises, self._why)))

    async def action_pause(self) -> None:
        """Pause the run, or let it go on."""
        paused = self._seen is not None and self._seen.paused
        await self._control(lambda client: client.resume(self._run) if paused else client.pause(self._run))

    async def action_kill(self) -> None:
        """Kill the run."""
        await self._control(lambda client: client.kill(self._run))

    async def _control(self, call: Callable[[Client], Awaitable[None]]) -> None:
        """Send a command, unless its key was meant for what was on screen before."""
        if not self._delay.over or not await console_app(self).key_guard.pressed_by_person():
            return
        await console_app(self).connection.call(call)
        self._load()

    def action_lines(self) -> None:
        """Show which lines of the code ran."""
        self.app.push_screen(LinesScreen(self._run))

    def action_leave(self) -> None:
        """Close the sheet."""
        self.dismiss(None)
