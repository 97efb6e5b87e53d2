"""Responses that were made and blocks in force: until when, by whom, and how to undo them."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.steps import block_words, request_lines, response_words
from console.safety.text import Part, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.item_rows import ItemRows
from engine.client.client import Client
from engine.models.response import Block, Response

Item = Block | Response


class ResponseRows(ItemRows[Item]):
    """Blocks in force first, those that expire soonest on top; then responses, the newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No blocks and no responses.", "bold success")],
        [],
        [("R in History or in a case responds.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="responses")

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a block or a response."""
        item = self.items[index]
        return [" ", *(block_words(item) if isinstance(item, Block) else response_words(item))]


class ResponsesScreen(ModalScreen[None]):
    """Lists responses and blocks, and undoes them after a confirmation."""

    AUTO_FOCUS = "#responses"
    HELP_TITLE = "Responses"
    HELP_WORDS = (
        "Blocks in force, until when they hold, and every response. U removes a block, or undoes "
        "a response: its blocks are removed and what it paused is resumed. What was stopped stays stopped."
    )
    DEFAULT_CSS = """
    ResponsesScreen ResponseRows { background: $surface; }
    ResponsesScreen #about { height: auto; max-height: 8; margin: 1 0 0 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("U", "undo", "Undo", id="responses.undo", tooltip="Undo the response, or remove the block"),
        Binding("escape,q", "leave", "Back", id="responses.leave", tooltip="Close the list"),
    ]

    def compose(self) -> ComposeResult:
        """Lay out the list, and what the selected one did."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Responses and blocks"
            yield ResponseRows()
            yield Static(id="about")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the list."""
        self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        found = await console_app(self).connection.call(_listed)
        if found is not None:
            self.query_one(ResponseRows).show(found)
            self.on_rows_moved()

    def on_rows_moved(self) -> None:
        """Show what the selected one did."""
        chosen = self.query_one(ResponseRows).chosen
        self.query_one("#about", Static).update(paragraphs(*_about(chosen)) if chosen else "")

    @work(exclusive=True, group="undo")
    async def action_undo(self) -> None:
        """Undo the selected one, once that is confirmed."""
        chosen = self.query_one(ResponseRows).chosen
        if chosen is None or (isinstance(chosen, Response) and chosen.undone):
            self.notify("Nothing to undo.", severity="warning")
            return
        if await self.app.push_screen_wait(ConfirmScreen(f"Undo {chosen.id}", _undoing(chosen))):
            problems = await console_app(self).connection.call(lambda client: _undo(client, chosen))
            if problems is not None:
                words = "\n".join(["Undone.", *problems])
                self.notify(words, severity="warning" if problems else "information")
            self._load()

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)


async def _listed(client: Client) -> tuple[Item, ...]:
    """Return the blocks in force, those that expire soonest first, and then the responses."""
    blocks = sorted(await client.responses.blocks(), key=lambda block: block.until)
    return (*blocks, *await client.responses.list())


async def _undo(client: Client, item: Item) -> tuple[str, ...]:
    """Undo, and return what could not be done."""
    if isinstance(item, Response):
        return (await client.responses.undo(item.id)).problems
    await client.responses.unblock(item.id)
    return ()


def _about(item: Item) -> list[list[Part]]:
    if isinstance(item, Response):
        return [[("query  ", "muted"), item.request.query], *request_lines(item.request)]
    made = f", part of {item.response}" if item.response else ""
    return [
        [("reason ", "muted"), item.reason or "(none)"],
        [(f"made {item.at:%Y-%m-%d %H:%M}{made}", "muted")],
    ]


def _undoing(item: Item) -> list[list[Part]]:
    if isinstance(item, Block):
        return [[("remove the block ", "bold"), *block_words(item)[2:3]]]
    return [
        [("remove its blocks that are left, resume what it paused:", "bold")],
        *request_lines(item.request.model_copy(update={"stop": ()})),
    ]
