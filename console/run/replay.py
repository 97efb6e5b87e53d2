"""The replay of a run: its output and its meters with their original timing."""

from __future__ import annotations

import contextlib
from datetime import datetime, timedelta
from functools import partial
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from console.app.state import console_app
from console.history.erased import PART, erased_sentence, report_erased, rules_by_item
from console.run.effects import EffectsScreen
from console.run.lines import LinesScreen
from console.run.meters import MeterPanel
from console.run.output_log import OutputLog
from console.run.player import Player
from console.run.replayed_effects import ReplayedEffects
from console.run.usage import UsageHistory
from console.safety.text import Part, content
from console.widgets.footer import KeyFooter
from console.widgets.formatting import clock, now
from console.widgets.header import AppHeader
from engine.client.client import Client
from engine.models import Case, Meters, OutputChunk

FRAME_SECONDS = 1 / 20
JUMP = 0.05
"""The share of a run by which an arrow key seeks."""
LEAST_JUMP = 1.0
MINUTE = 60.0


class ReplayScreen(Screen[None]):
    """Replays a run that ended; opens over its case."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Replay"
    HELP_WORDS = (
        "The output, the effects and the resource meters of the run, with their original timing. l shows "
        "which lines of the code ran, e all effects beside what was predicted and granted."
    )
    DEFAULT_CSS = """
    ReplayScreen #seen { height: 1fr; }
    ReplayScreen OutputLog { height: 1fr; }
    ReplayScreen #position { height: 1; padding: 0 1; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "pause", "Pause", id="replay.pause", priority=True, tooltip="Pause, or continue"),
        Binding("left", "jump(-1)", "Rewind", id="replay.rewind", tooltip="Go back by 5 %"),
        Binding("right", "jump(1)", "Forward", id="replay.forward", tooltip="Go forward by 5 %"),
        Binding("plus", "speed(1)", "Faster", key_display="+", id="replay.faster", tooltip="Twice as fast"),
        Binding("minus", "speed(-1)", "Slower", key_display="-", id="replay.slower", tooltip="Half as fast"),
        Binding("home", "begin", "Restart", id="replay.restart", tooltip="Play from the start"),
        Binding("end", "finish", "End", id="replay.end", show=False, tooltip="Go to the end"),
        Binding("e", "effects", "Effects", id="replay.effects", tooltip="Show all effects of the run"),
        Binding("l", "lines", "Lines", id="replay.lines", tooltip="Show which lines of the code ran"),
        Binding("escape,q", "leave", "Back", id="replay.leave", tooltip="Close the replay"),
    ]

    def __init__(self, case: Case) -> None:
        super().__init__()
        self._case = case
        self._player: Player | None = None
        self._usage = UsageHistory()

    def compose(self) -> ComposeResult:
        """Lay out meters, output and the position."""
        yield AppHeader("history")
        yield MeterPanel(id="meters")
        with Vertical(id="seen", classes="box") as seen:
            seen.border_title = f"Replay of {self._case.submission.id}"
            yield OutputLog(id="output")
        yield ReplayedEffects()
        yield Static(id="position")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the run and play it."""
        self.query_one(OutputLog).hint = "No output so far."
        self.set_interval(FRAME_SECONDS, self.tick)
        self._load()

    def on_resize(self) -> None:
        """Make the meters smaller on a low screen."""
        self.query_one(MeterPanel).set_class(self.size.height < 30, "-short")

    @work
    async def _load(self) -> None:
        await console_app(self).connection.call(self._read)

    async def _read(self, client: Client) -> None:
        id, chunks = self._case.submission.id, list[OutputChunk]()
        with report_erased(partial(setattr, self.query_one(OutputLog), "hint")):
            async with contextlib.aclosing(client.output(id)) as written:
                chunks = [chunk async for chunk in written]
        if cut := erased_sentence(PART, rules_by_item(await client.history.erasures(id))):
            self.notify(cut, severity="warning", timeout=10)
        async with contextlib.aclosing(client.meters(id)) as used:
            samples = [sample async for sample in used]
        self.query_one(ReplayedEffects).load((await client.effects(id)).effects)
        duration = self._case.result.duration if self._case.result else 0.0
        self._player = Player(chunks, samples, duration)

    @property
    def position(self) -> float:
        """The position in the run, in seconds."""
        return self._player.at if self._player is not None else 0.0

    def tick(self) -> None:
        """Play one frame."""
        if self._player is not None and self.is_current:
            self._take(*self._player.advance(FRAME_SECONDS))

    def _take(self, chunks: list[OutputChunk], samples: list[Meters]) -> None:
        for chunk in chunks:
            self.query_one(OutputLog).add(chunk)
        for sample in samples:
            self._usage.take(sample)
        if self._player is not None:
            self._show(self._player)

    def _show(self, player: Player) -> None:
        began = now() - timedelta(seconds=player.at)
        live = _running_since(self._case, began)
        self.query_one(MeterPanel).show(self._case if player.over else live, self._usage)
        self.query_one(ReplayedEffects).show(player.at)
        self.query_one("#position", Static).update(content(*_place(player, self.size.width)))

    def _seek(self, at: float) -> None:
        if self._player is not None:
            self._usage = UsageHistory()
            self.query_one(OutputLog).clear()
            self._take(*self._player.seek(at))

    def action_pause(self) -> None:
        """Pause, or continue; at the end restart."""
        if self._player is None:
            return
        if self._player.over:
            self.action_begin()
        else:
            self._player.playing = not self._player.playing
        self._show(self._player)

    def action_jump(self, step: int) -> None:
        """Seek by a twentieth of the run."""
        if self._player is not None:
            self._seek(self._player.at + step * max(LEAST_JUMP, self._player.duration * JUMP))

    def action_speed(self, step: int) -> None:
        """Play faster or slower."""
        if self._player is not None:
            self._player.faster(step)
            self._show(self._player)

    def action_begin(self) -> None:
        """Play from the start."""
        if self._player is not None:
            self._player.playing = True
            self._seek(0)

    def action_finish(self) -> None:
        """Go to the end."""
        if self._player is not None:
            self._seek(self._player.duration)

    def action_effects(self) -> None:
        """Show all effects, beside what was predicted and granted."""
        self.app.push_screen(EffectsScreen(self._case.submission.id))

    def action_lines(self) -> None:
        """Show which lines of the code ran."""
        self.app.push_screen(LinesScreen(self._case.submission.id))

    def action_leave(self) -> None:
        """Close the replay."""
        self.dismiss()


def _running_since(case: Case, began: datetime) -> Case:
    """Return a case as it was while it ran."""
    return Case(
        submission=case.submission, status=case.status, analysis=case.analysis, assessment=case.assessment,
        reviews=case.reviews, decision=case.decision, started_at=began,
    )  # fmt: skip


def _time(seconds: float, of: float) -> str:
    return f"{seconds:.1f} s" if of < MINUTE else clock(seconds)


def _place(player: Player, width: int) -> list[Part]:
    state = "■ ended" if player.over else "▶ playing" if player.playing else "⏸ paused"
    at, end = _time(player.at, player.duration), _time(player.duration, player.duration)
    words = f" {at} of {end}   {player.speed:g}×"
    cells = max(8, width - len(words) - 16)
    done = round(cells * player.at / player.duration) if player.duration else cells
    return [(f"{state:<11}", "bold accent"), ("━" * done, "primary"), ("━" * (cells - done), "line"),
            (words, "muted")]  # fmt: skip
