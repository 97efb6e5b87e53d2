"""Ask of the past: rescans with their progress, started on what is selected, and stopped."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Footer, Static

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.rescan_rows import RescanRows, rescan_lines
from console.history.responding.selection import Selection
from console.safety.text import Part, clip, content, paragraphs
from engine.models.rescan import RescanState

POLL_SECONDS = 1.0
SHARES = "1 to 100"


class RescansScreen(ModalScreen[str | None]):
    """Lists rescans. Returns a query to search for, or None."""

    AUTO_FOCUS = "#rescans"
    HELP_TITLE = "Ask of the past"
    HELP_WORDS = (
        "A rescan applies today's analysis and policy to what was submitted earlier, in the background, at "
        "a bounded share of one core. n starts one on what was selected in History, s stops it, and f "
        "searches for what it found worse. Nothing is decided because of it."
    )
    DEFAULT_CSS = """
    RescansScreen RescanRows { background: $surface; }
    RescansScreen #about { height: auto; max-height: 8; margin: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "begin", "Rescan", id="rescans.begin", tooltip="Rescan what is selected"),
        Binding("s", "stop", "Stop", id="rescans.stop", tooltip="Stop the rescan; what it found stays"),
        Binding("f", "find", "Worse", id="rescans.find", tooltip="Search for what it found worse"),
        Binding("escape,q", "leave", "Back", id="rescans.leave", tooltip="Close the list"),
    ]

    def __init__(self, selection: Selection | None, *, leads_on: bool = True) -> None:
        """Act on a selection; with `leads_on` it may be left with a query for what was found."""
        super().__init__()
        self._selection = selection
        self._leads_on = leads_on

    def compose(self) -> ComposeResult:
        """Lay out the list, and what the selected rescan is about."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Ask of the past"
            yield RescanRows()
            yield Static(id="about")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Load the list, and again while a rescan goes on."""
        words = f"selected: {self._selection.words}" if self._selection else ""
        set_border_title(self.query_one(".sheet"), content(clip(words, 70)), below=True)
        self._load()
        self.set_interval(POLL_SECONDS, self._look)

    def _look(self) -> None:
        if self.query_one(RescanRows).one_goes_on:
            self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        found = await console_app(self).connection.call(lambda client: client.rescans.list())
        if found is not None:
            self.query_one(RescanRows).show(found)
            self.on_rows_moved()

    def on_rows_moved(self) -> None:
        """Show what the selected one is about, and what it found."""
        chosen = self.query_one(RescanRows).chosen
        self.query_one("#about", Static).update(paragraphs(*rescan_lines(chosen)) if chosen else "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the search only where there is one to change."""
        return self._leads_on if action == "find" else True

    @work(exclusive=True, group="act")
    async def action_begin(self) -> None:
        """Ask for the share of a core, and start a rescan of what is selected."""
        selection = self._selection
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
        self._load()

    @work(exclusive=True, group="act")
    async def action_stop(self) -> None:
        """Stop the rescan under the cursor, once that is confirmed."""
        chosen = self.query_one(RescanRows).chosen
        if chosen is None or chosen.state is not RescanState.RUNNING:
            self.notify("It does not go on.", severity="warning")
            return
        steps: list[list[Part]] = [[("stop ", "bold"), chosen.id], [("What it found stays.", "muted")]]
        if await self.app.push_screen_wait(ConfirmScreen(f"Stop {chosen.id}", steps)):
            await console_app(self).connection.call(lambda client: client.rescans.stop(chosen.id))
            self._load()

    def action_find(self) -> None:
        """Close, and search for what the rescan under the cursor found worse."""
        if chosen := self.query_one(RescanRows).chosen:
            self.dismiss(f"rescan:worse rescan.id:{chosen.id}")

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
