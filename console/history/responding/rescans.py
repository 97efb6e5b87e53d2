"""Ask of the past: rescans with their progress, started on what is selected, and stopped."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.items_sheet import ItemsSheet
from console.history.responding.prompt import PromptScreen
from console.history.responding.rescan_rows import RescanRows, rescan_lines
from console.history.responding.selection import Selection
from console.safety.text import Part
from engine.client.client import Client
from engine.models.rescan import Rescan, RescanState

POLL_SECONDS = 1.0
SHARES = "1 to 100"


class RescansScreen(ItemsSheet[Rescan]):
    """Lists rescans. Returns a query to search for, or None."""

    HELP_TITLE = "Ask of the past"
    HELP_WORDS = (
        "A rescan applies today's analysis and policy to what was submitted earlier, in the background, at "
        "a bounded share of one core. n starts one on what was selected in History, s stops it, and f "
        "searches for what it found worse. Nothing is decided because of it."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "begin", "Rescan", id="rescans.begin", tooltip="Rescan what is selected"),
        Binding("s", "stop", "Stop", id="rescans.stop", tooltip="Stop the rescan; what it found stays"),
        Binding("f", "find", "Worse", id="rescans.find", tooltip="Search for what it found worse"),
        Binding("escape,q", "leave", "Back", id="rescans.leave", tooltip="Close the list"),
    ]

    def __init__(self, selection: Selection | None, *, leads_on: bool = True) -> None:
        """Act on a selection; with `leads_on` it may be left with a query for what was found."""
        super().__init__(RescanRows(), selection, leads_on=leads_on)

    def on_mount(self) -> None:
        """Load the list, and again while a rescan goes on."""
        super().on_mount()
        self.set_interval(POLL_SECONDS, self._look)

    def _look(self) -> None:
        if any(one.state is RescanState.RUNNING for one in self.rows.items):
            self.load()

    async def fetch(self, client: Client) -> tuple[Rescan, ...]:
        """Return the rescans."""
        return await client.rescans.list()

    def lines(self, item: Rescan) -> list[list[Part]]:
        """Return what a rescan is about, and what it found."""
        return rescan_lines(item)

    @work(exclusive=True, group="act")
    async def action_begin(self) -> None:
        """Ask for the share of a core, and start a rescan of what is selected."""
        selection = self.selection
        if selection is None or selection.is_too_long:
            self.notify("Mark fewer submissions, or search for them.", severity="warning")
            return
        about = f"Of {selection.words}. Percent of one core that it may use, {SHARES}:"
        typed = await self.app.push_screen_wait(PromptScreen("Rescan", about, "50"))
        if typed is None:
            return
        share = int(typed) if typed.isdecimal() and typed.isascii() else 0
        if not 1 <= share <= 100:
            self.notify(f"A share is a number of percent, {SHARES}.", severity="warning")
            return
        query = selection.query
        await console_app(self).connection.call(lambda client: client.rescans.begin(query, share / 100))
        self.load()

    @work(exclusive=True, group="act")
    async def action_stop(self) -> None:
        """Stop the rescan under the cursor, once that is confirmed."""
        chosen = self.rows.chosen
        if chosen is None or chosen.state is not RescanState.RUNNING:
            self.notify("It does not go on.", severity="warning")
            return
        steps: list[list[Part]] = [[("stop ", "bold"), chosen.id], [("What it found stays.", "muted")]]
        if await self.app.push_screen_wait(ConfirmScreen(f"Stop {chosen.id}", steps)):
            await console_app(self).connection.call(lambda client: client.rescans.stop(chosen.id))
            self.load()

    def action_find(self) -> None:
        """Close, and search for what the rescan under the cursor found worse."""
        if chosen := self.rows.chosen:
            self.dismiss(f"rescan:worse rescan.id:{chosen.id}")
