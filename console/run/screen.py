"""Run: what runs, what it writes, and what it uses; stop, kill, hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from console.app.state import console_app
from console.run.meters import MeterPanel
from console.run.output_log import OutputLog
from console.run.result_text import told
from console.run.run_list import RunList
from console.run.saving import save_output
from console.run.watched import Watched
from console.safety.clipboard import copy_id
from console.widgets.formatting import now, size
from engine.client.client import Client
from engine.models import Status

__all__ = ["RunScreen", "told"]

SHORT = 30
"""Lines of screen under which meters stand two beside each other."""


class RunScreen(Watched):
    """The place to watch from: what can be done with runs and their output."""

    NAME = "run"
    CSS_PATH = "run.tcss"
    HELP_TITLE = "Run"
    HELP_WORDS = (
        "What was approved runs here, each in a gVisor sandbox of its own. Output with a bar in the colour "
        "of errors is stderr. s asks a run to end (TERM, then KILL), K ends it at once, h holds it and lets "
        "it go on. f stays where it is or follows the newest line; S saves the whole output as the engine "
        "recorded it. The console can be closed: runs go on without it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "Stop", id="run.stop",
                tooltip="Ask the run to end; end it after a grace"),
        Binding("K", "kill", "Kill", id="run.kill", tooltip="End the run at once"),
        Binding("h", "hold", "Hold/go on", id="run.hold",
                tooltip="Freeze the run, or let it go on"),
        Binding("f", "follow", "Follow", id="run.follow", tooltip="Stay here, or follow the newest output"),
        Binding("slash", "search", "Search", key_display="/", id="run.search",
                tooltip="Search in the output"),
        Binding("full_stop", "hit(1)", "Next found", key_display=".", show=False, id="run.hit-next",
                tooltip="The next line found"),
        Binding("comma", "hit(-1)", "Found before", key_display=",", show=False, id="run.hit-before",
                tooltip="The line found before"),
        Binding("w", "wrap", "Wrap", id="run.wrap", show=False, tooltip="Wrap long lines, or cut them"),
        Binding("z", "zoom", "Zoom", id="run.zoom", show=False, tooltip="The output alone, or all"),
        Binding("y", "copy", "Copy id", id="run.copy", show=False, tooltip="Copy its id to the clipboard"),
        Binding("S", "save", "Save", id="run.save", show=False, tooltip="Save the whole output in a file"),
        Binding("a", "left", "What it left", id="run.left",
                tooltip="The files that it left: pictures, tables, texts"),
        Binding("o", "open", "Open", id="run.open", tooltip="The whole case: code, decision, events"),
        Binding("left_square_bracket", "run(-1)", "Run before", key_display="[", id="run.before", show=False,
                tooltip="The run above"),
        Binding("right_square_bracket", "run(1)", "Next run", key_display="]", id="run.next", show=False,
                tooltip="The run below"),
        Binding("escape", "leave", "Leave", id="run.leave", show=False, tooltip="Close the line below"),
    ]  # fmt: skip

    def contents(self) -> Iterable[Widget]:
        """Lay out the runs, and the chosen one large."""
        yield RunList(id="runs")
        with Vertical(id="chosen", classes="box"):
            yield Static(id="ending")
            yield MeterPanel(id="meters")
            yield OutputLog(id="output")
            yield Static(id="said")

    def below(self) -> Iterable[Widget]:
        """Lay out the line to search in, or to name a file."""
        yield Input(id="search-bar", select_on_focus=False)

    def on_resize(self) -> None:
        """Put the meters beside each other where the screen is low."""
        super().on_resize()
        self.query_one(MeterPanel).set_class(self.size.height < SHORT, "-short")

    # --- what can be done -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to end only what runs."""
        if action in {"stop", "kill", "hold"}:
            return self._case is not None and self._case.status is Status.RUNNING
        if action == "left":
            result = self._case.result if self._case else None
            return result is not None and bool(result.artifacts or result.displays)
        if action in {"open", "save", "search", "wrap", "follow", "zoom", "copy"}:
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
        if id in self._held:
            if await self._tell("goes on", lambda client, id: client.resume(id)):
                self._held.go_on(id, now())
        elif await self._tell("is held", lambda client, id: client.pause(id)):
            self._held.hold(id, now())
        self.query_one(RunList).refresh()
        self._show(self._case)

    async def _tell(self, words: str, call: Callable[[Client, str], Awaitable[None]]) -> bool:
        if self._case is None or not await console_app(self).key_guard.pressed_by_person():
            return False
        id = self._case.submission.id

        async def done(client: Client) -> bool:
            await call(client, id)
            return True

        if await console_app(self).ask(done):
            self.notify(f"{id} {words}")
            return True
        return False

    def action_run(self, step: int) -> None:
        """Choose another run."""
        self.query_one(RunList).cursor += step

    def action_open(self) -> None:
        """Open the case."""
        from console.history.case import CaseScreen  # noqa: PLC0415  on its first use

        if self._case is not None:
            self.app.push_screen(CaseScreen(self._case.submission.id))

    def action_left(self) -> None:
        """Look at what the run left."""
        from console.run.artifacts import LeftScreen  # noqa: PLC0415  on its first use

        if self._case is not None and self._case.result is not None:
            self.app.push_screen(LeftScreen(self._case.submission.id, self._case.result))

    # --- the output -------------------------------------------------------------------------------

    def action_follow(self) -> None:
        """Stay here, or follow the newest output."""
        self.query_one(OutputLog).action_pause()
        self._say()

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        log = self.query_one(OutputLog)
        log.wrapped = not log.wrapped

    def action_zoom(self) -> None:
        """Show the output alone, or all again."""
        self.toggle_class("-zoom")

    def action_copy(self) -> None:
        """Copy the id of the run."""
        if self._case is not None:
            copy_id(self.app, self._case)

    def action_hit(self, step: int) -> None:
        """Go to the next line found, or the one before."""
        self.query_one(OutputLog).next_hit(step)

    def action_search(self) -> None:
        """Open the search line."""
        self._ask_line("Search the output; Enter finds, Esc closes", "")

    def action_save(self) -> None:
        """Ask for the name of a file."""
        if self._case is not None:
            self._ask_line("Save the whole output as", f"{self._case.submission.id}.log")

    def _ask_line(self, words: str, value: str) -> None:
        bar = self.query_one("#search-bar", Input)
        bar.placeholder, bar.value, bar.cursor_position = words, value, len(value)
        bar.border_title = words
        bar.add_class("-open")
        bar.focus()

    @on(Input.Submitted, "#search-bar")
    def _answered(self, message: Input.Submitted) -> None:
        self.action_leave()
        if message.input.placeholder.startswith("Save"):
            self._save(message.value)
        else:
            found = self.query_one(OutputLog).search(message.value)
            self.notify(f"{found:,} lines. A full stop goes on, a comma back." if found else "Nothing found.")

    @work(exclusive=True, group="save")
    async def _save(self, name: str) -> None:
        id = self._case.submission.id if self._case else ""
        saved = await console_app(self).ask(lambda client: save_output(client, id, name))
        if saved is not None:
            self.notify(f"{size(saved)} of output are in {name}.")

    def action_leave(self) -> None:
        """Close the line below, and leave whatever is focused."""
        self.query_one("#search-bar").remove_class("-open")
        self.set_focus(None)
