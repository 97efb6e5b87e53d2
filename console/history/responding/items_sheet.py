"""A sheet with a list of items, and below it what is known of the one under the cursor."""

from __future__ import annotations

from typing import ClassVar, Generic, TypeVar

from textual import work
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.history.responding.selection import Selection
from console.safety.text import Part, clip, content, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.item_rows import ItemRows
from engine.client.client import Client

Item = TypeVar("Item")


class ItemsSheet(ModalScreen[str | None], Generic[Item]):
    """Lists items of the engine. Returns a query to search for, or None. A subclass acts on them."""

    AUTO_FOCUS = "ItemRows"
    HELP_TITLE: ClassVar[str] = ""
    DEFAULT_CSS = """
    ItemsSheet ItemRows { background: $surface; }
    ItemsSheet #about { height: auto; max-height: 8; margin: 1 0 0 0; }
    """

    def __init__(self, rows: ItemRows[Item], selection: Selection | None, *, leads_on: bool = True) -> None:
        """Act on a selection; with `leads_on` it may be left with a query."""
        super().__init__()
        self.rows = rows
        self.selection = selection
        self._leads_on = leads_on

    async def fetch(self, client: Client) -> tuple[Item, ...]:
        """Return the items."""
        raise NotImplementedError

    def lines(self, item: Item) -> list[list[Part]]:
        """Return what is known of an item."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Lay out the list, and what the selected item is about."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = self.HELP_TITLE
            yield self.rows
            yield Static(id="about")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Say what is selected, and load the list."""
        self.say(f"selected: {self.selection.words}" if self.selection else "")
        self.load()

    def say(self, words: str) -> None:
        """Put words into the lower border."""
        set_border_title(self.query_one(".sheet"), content(clip(words, 70)), below=True)

    @work(exclusive=True, group="load")
    async def load(self) -> None:
        """Load the list."""
        found = await console_app(self).connection.call(self.fetch)
        if found is not None:
            self.rows.show(found)
            self.on_rows_moved()

    def on_rows_moved(self) -> None:
        """Show what is known of the selected item."""
        chosen = self.rows.chosen
        self.query_one("#about", Static).update(paragraphs(*self.lines(chosen)) if chosen else "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer a search only where there is one to change."""
        return self._leads_on if action == "find" else True

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
