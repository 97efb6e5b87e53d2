"""The Run screen: the runs, their output and what they use; stop, kill and pause them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Static

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.app.textual_patches import set_border_title, update_height
from console.review.decisions import OUTPUT_FIRST_SECONDS
from console.run.meters import MeterPanel
from console.run.output_log import OutputLog
from console.run.result_text import has_artifacts, outcome_line
from console.run.run_list import RunList
from console.run.saving import save_output
from console.run.watcher import RunWatcher
from console.safety.clipboard import copy_id
from console.safety.text import Part, content
from console.widgets.file_name_prompt import FileNamePrompt
from console.widgets.formatting import now, size
from engine.client.client import Client
from engine.common.text import many
from engine.models import Event, Status

SHORT = 30
"""On screens with fewer lines the meters are in two columns."""


class RunScreen(BaseScreen):
    """Shows the runs and one of them large, and controls them."""

    NAME = "run"
    CSS_PATH = "run.tcss"
    HELP_TITLE = "Run"
    HELP_WORDS = (
        "Approved code runs here, each run in a gVisor sandbox of its own. Output with a bar in the error "
        "colour is stderr. s asks a run to stop (SIGTERM, then SIGKILL after a grace period), K kills it at "
        "once, p pauses and resumes it. f follows the newest output or stays in place; S saves the complete "
        "output as the engine recorded it. Runs continue when you close the console."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "stop", "Stop", id="run.stop",
                tooltip="Ask the run to stop; kill it after a grace period"),
        Binding("K", "kill", "Kill", id="run.kill", tooltip="Kill the run at once"),
        Binding("p", "pause", "Pause/Resume", id="run.pause", tooltip="Pause the run, or resume it"),
        Binding("f", "follow", "Follow", id="run.follow", tooltip="Follow the newest output, or stop"),
        Binding("slash", "search", "Search", key_display="/", id="run.search", tooltip="Search the output"),
        Binding("full_stop", "match(1)", "Next match", key_display=".", show=False, id="run.next-match",
                tooltip="Go to the next match"),
        Binding("comma", "match(-1)", "Previous match", key_display=",", show=False, id="run.previous-match",
                tooltip="Go to the previous match"),
        Binding("w", "wrap", "Wrap", id="run.wrap", show=False, tooltip="Wrap long lines, or cut them"),
        Binding("z", "zoom", "Zoom", id="run.zoom", show=False, tooltip="Show only the output, or all"),
        Binding("y", "copy", "Copy ID", id="run.copy", show=False, tooltip="Copy the run ID"),
        Binding("S", "save", "Save", id="run.save", show=False, tooltip="Save the complete output"),
        Binding("a", "artifacts", "Artifacts", id="run.artifacts",
                tooltip="Show the run's artifacts: pictures, tables, files"),
        Binding("e", "effects", "Effects", id="run.effects", show=False,
                tooltip="Show what the run did, beside what was predicted and granted"),
        Binding("i", "look", "Look", id="run.look", show=False,
                tooltip="Show what the run is doing: processes, open files, last effects"),
        Binding("l", "lines", "Lines", id="run.lines", show=False,
                tooltip="Show the code with the lines that ran, as the guest says"),
        Binding("o", "open", "Open", id="run.open", tooltip="Open the case: code, decision, events"),
        Binding("left_square_bracket", "run(-1)", "Previous run", key_display="[", show=False,
                id="run.previous", tooltip="Select the run above"),
        Binding("right_square_bracket", "run(1)", "Next run", key_display="]", id="run.next", show=False,
                tooltip="Select the run below"),
        Binding("escape", "leave", "Close", id="run.leave", show=False, tooltip="Close the input line"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._runs = RunWatcher(self, self._show)
        self._surprises: Counter[str] = Counter()
        """How many surprises of each run were recorded since this screen opened."""
        self._status = content()
        self._position: list[Part] = []
        self._keys: Timer | None = None

    def contents(self) -> Iterable[Widget]:
        """Lay out the list of runs, and the chosen one large."""
        yield RunList(id="runs")
        with Vertical(id="chosen", classes="box"):
            yield Static(id="status")
            yield MeterPanel(id="meters")
            yield OutputLog(id="output")
            yield Static(id="position")

    def below(self) -> Iterable[Widget]:
        """Lay out the lines for a search and for a file name."""
        yield Input(id="search-bar", select_on_focus=False)
        yield FileNamePrompt()

    def on_mount(self) -> None:
        """Follow the runs."""
        super().on_mount()
        self.query_one(OutputLog).hint = "No output yet."
        rows = self.query_one(RunList)
        rows.usage, rows.paused = self._runs.meters.usage, self._runs.paused
        self.query_one(MeterPanel).paused_seconds = self._runs.paused.seconds
        self._stop_listening = console_app(self).connection.subscribe(self._handle)
        self.follow_queue(self._runs.queue_changed)
        if (decisions := console_app(self).decisions) is not None:
            decisions.on_approving = self._approving
        self.watch(self.app, "connection_state", self._link_changed, init=False)
        self.set_interval(0.2, self._show_position)

    def on_unmount(self) -> None:
        """Stop listening to events."""
        self._stop_listening()

    def on_resize(self) -> None:
        """Arrange the meters in two columns on a low screen."""
        super().on_resize()
        self.query_one(MeterPanel).set_class(self.size.height < SHORT, "-short")

    def _handle(self, event: Event) -> None:
        self._runs.paused.handle(event)
        if event.type == "run.ended":
            self.when_open(self._runs.reload)
        if event.type == "run.surprise":
            self._surprises[event.subject] += len(event.data["surprises"])
            self._show()
        if event.type == "run.pause" and event.data.get("why") and self.is_current:
            self._look(event.subject, str(event.data["why"]))

    def _approving(self, id: str) -> None:
        if self.is_current:
            self._runs.expect(id)

    def _link_changed(self, link: str) -> None:
        if link == "connected":
            self._runs.reload()

    @on(RunList.Moved)
    def _moved(self, message: RunList.Moved) -> None:
        self._runs.choose(self.query_one(RunList).chosen)

    # --- what is shown ----------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the chosen run."""
        if (case := self._runs.case) is None:
            return
        set_border_title(self.query_one("#chosen"), content(case.submission.id))
        set_border_title(self.query_one("#chosen"), content(case.submission.requester.name), below=True)
        self.query_one(MeterPanel).show(case, self._runs.usage)
        self.query_one(OutputLog).live = case.result is None
        paused: list[Part] = [
            ("paused", "bold warning"),
            ("  p resumes it, i looks into it  ", "muted"),
        ]
        surprises = self._surprises[case.submission.id]
        said = f"{many(surprises, 'surprise')}, e shows them  "
        alarm: list[Part] = [(said, "bold error")] if surprises else []
        status = content(*alarm, *(paused if self._runs.is_paused else outcome_line(case)))
        if not status.is_same(self._status):
            self._status = status
            update_height(self.query_one("#status", Static), status)
        self.query_one("#status").set_class(True, "-said")
        self._keys = self._keys or self.set_timer(OUTPUT_FIRST_SECONDS, self._show_keys)

    def _show_keys(self) -> None:
        """List in the footer which keys act now; what they do is known at once."""
        self._keys = None
        self.refresh_bindings()

    def _show_position(self) -> None:
        """Show what part of the output is in view."""
        if not self.is_current or self._runs.case is None:
            return
        position = self.query_one(OutputLog).summary()
        if console_app(self).connection_state == "offline":
            position = [("engine offline: output continues after reconnecting  ", "warning"), *position]
        if position != self._position:
            self._position = position
            self.query_one("#position", Static).update(content(*position), layout=False)

    # --- actions on a run -------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to stop, kill and pause only a running run."""
        case = self._runs.case
        if action in {"stop", "kill", "pause", "look"}:
            return case is not None and case.status is Status.RUNNING
        if action == "artifacts":
            return case is not None and has_artifacts(case.result)
        if action in {"open", "effects", "lines", "save", "search", "wrap", "follow", "zoom", "copy"}:
            return case is not None
        return True

    async def action_stop(self) -> None:
        """Ask the run to stop."""
        await self._control("is asked to stop", lambda client, id: client.stop(id))

    async def action_kill(self) -> None:
        """Kill the run at once."""
        await self._control("is killed", lambda client, id: client.kill(id))

    async def action_pause(self) -> None:
        """Pause the run, or resume it."""
        paused, id = self._runs.paused, self._runs.case.submission.id if self._runs.case else ""
        if id in paused:
            if await self._control("is resumed", lambda client, id: client.resume(id)):
                paused.resume(id, now())
        elif await self._control("is paused", lambda client, id: client.pause(id)):
            paused.pause(id, now())
        self.query_one(RunList).refresh()
        self._show()

    async def _control(self, result: str, call: Callable[[Client, str], Awaitable[None]]) -> bool:
        """Send a command about the chosen run; return whether the engine accepted it."""
        if (case := self._runs.case) is None or not await console_app(self).key_guard.pressed_by_person():
            return False
        id = case.submission.id

        async def done(client: Client) -> bool:
            await call(client, id)
            return True

        if await console_app(self).connection.call(done):
            self.notify(f"{id} {result}")
            return True
        return False

    def action_run(self, step: int) -> None:
        """Select another run."""
        self.query_one(RunList).cursor += step

    def action_open(self) -> None:
        """Open the case."""
        from console.history.case import CaseScreen  # noqa: PLC0415  on its first use

        if self._runs.case is not None:
            self.app.push_screen(CaseScreen(self._runs.case.submission.id))

    def action_artifacts(self) -> None:
        """Show the artifacts of the run."""
        from console.run.artifacts import ArtifactsScreen  # noqa: PLC0415  on its first use

        if (case := self._runs.case) is not None and case.result is not None:
            self.app.push_screen(ArtifactsScreen(case.submission.id, case.result))

    def action_effects(self) -> None:
        """Show what the run did."""
        from console.run.effects import EffectsScreen  # noqa: PLC0415  on its first use

        if self._runs.case is not None:
            self.app.push_screen(EffectsScreen(self._runs.case.submission.id))

    def action_look(self) -> None:
        """Show what the run is doing."""
        if self._runs.case is not None:
            self._look(self._runs.case.submission.id)

    def _look(self, id: str, why: str = "") -> None:
        from console.run.look import LookScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(LookScreen(id, why))

    def action_lines(self) -> None:
        """Show which lines of the code ran."""
        from console.run.lines import LinesScreen  # noqa: PLC0415  on its first use

        if self._runs.case is not None:
            self.app.push_screen(LinesScreen(self._runs.case.submission.id))

    # --- the output -------------------------------------------------------------------------------

    def action_follow(self) -> None:
        """Follow the newest output, or stay in place."""
        self.query_one(OutputLog).toggle_follow()
        self._show_position()

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        log = self.query_one(OutputLog)
        log.wrapped = not log.wrapped

    def action_zoom(self) -> None:
        """Show the output only, or everything."""
        self.toggle_class("-zoom")

    def action_copy(self) -> None:
        """Copy the ID of the run."""
        if self._runs.case is not None:
            copy_id(self.app, self._runs.case)

    def action_match(self, step: int) -> None:
        """Go to the next or the previous match."""
        self.query_one(OutputLog).next_match(step)

    def action_search(self) -> None:
        """Open the search line."""
        bar = self.query_one("#search-bar", Input)
        bar.border_title, bar.value = "Search the output; Enter searches, Esc closes", ""
        bar.add_class("-open")
        bar.focus()

    @on(Input.Submitted, "#search-bar")
    def _search(self, message: Input.Submitted) -> None:
        self.action_leave()
        found = self.query_one(OutputLog).search(message.value)
        self.notify(f"{many(found, 'matching line')}; . next, , previous" if found else "No match.")

    def action_save(self) -> None:
        """Ask for the name of a file."""
        if self._runs.case is not None:
            id = self._runs.case.submission.id
            self.query_one(FileNamePrompt).ask("Save the complete output as", f"{id}.log")

    @on(Input.Submitted, "FileNamePrompt")
    def _file_named(self, message: Input.Submitted) -> None:
        self.action_leave()
        if self._runs.case is not None:
            self._save(self._runs.case.submission.id, message.value)

    @work(exclusive=True, group="save")
    async def _save(self, id: str, name: str) -> None:
        saved = await console_app(self).connection.call(lambda client: save_output(client, id, name))
        if saved is not None:
            self.notify(f"Saved {size(saved)} of output to {name}")

    def action_leave(self) -> None:
        """Close the line below, and leave whatever is focused."""
        self.query_one("#search-bar").remove_class("-open")
        self.query_one(FileNamePrompt).close()
        self.set_focus(None)
