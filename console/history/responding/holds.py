"""Retention and privacy: legal holds, erasures, and the file of everything about a person."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.erasing import done_words, erase, of_person, of_selection, why
from console.history.responding.erasures import ErasuresScreen
from console.history.responding.hold_rows import HoldRows, hold_lines
from console.history.responding.items_sheet import ItemsSheet
from console.history.responding.prompt import PromptScreen
from console.history.responding.selection import Selection
from console.run.saving import save_bytes
from console.safety.text import Part
from console.widgets.formatting import size
from engine.client.client import Client
from engine.models.erasing.erasure import ErasureRequest, Hold

ERASED = "erased:everything OR erased:words"
"""The search that finds what was erased."""


class HoldsScreen(ItemsSheet[Hold]):
    """Lists legal holds; places and releases them, erases, and exports a person's file.

    Returns a query to search for, or None.
    """

    HELP_TITLE = "Holds and erasures"
    HELP_WORDS = (
        "Legal holds: nothing that their searches find is erased. n places one on what was selected in "
        "History, U releases one. e erases what was selected, P all of a person: what would go is listed "
        "first, and nothing brings it back. p exports everything that is stored about a person. l lists the "
        "erasures, f searches for what was erased. All of it is for administrators, and recorded."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "place", "Hold", id="holds.place", tooltip="Keep what is selected from every erasure"),
        Binding("U", "release", "Release", id="holds.release", tooltip="Release the legal hold"),
        Binding("e", "erase", "Erase", id="holds.erase", tooltip="Erase what is selected, for good"),
        Binding("P", "erase_person", "Erase person", id="holds.erase-person",
                tooltip="Erase what a person submitted and said, for good"),
        Binding("p", "export_person", "Export", id="holds.export-person",
                tooltip="Save everything that is stored about a person in one file"),
        Binding("l", "erasures", "Erased", id="holds.erasures", tooltip="List what was erased, and why"),
        Binding("f", "find", "Find", id="holds.find", tooltip="Search the history for what was erased"),
        Binding("escape,q", "leave", "Back", id="holds.leave", tooltip="Close the list"),
    ]  # fmt: skip

    def __init__(self, selection: Selection | None, *, leads_on: bool = True) -> None:
        """Act on a selection; with `leads_on` it may be left with a query for what was erased."""
        super().__init__(HoldRows(), selection, leads_on=leads_on)

    async def fetch(self, client: Client) -> tuple[Hold, ...]:
        """Return the legal holds in force."""
        return await client.erasures.holds()

    def lines(self, item: Hold) -> list[list[Part]]:
        """Return what a hold keeps, and why."""
        return hold_lines(item)

    @work(exclusive=True, group="act")
    async def action_place(self) -> None:
        """Ask why, and place a hold on what is selected."""
        selection = self._chosen()
        reason = await why(self, "Legal hold", f"Keeps {selection.words}.") if selection else None
        if selection is not None and reason is not None:
            query = selection.query
            await console_app(self).connection.call(lambda client: client.erasures.hold(query, reason))
            self.load()

    @work(exclusive=True, group="act")
    async def action_release(self) -> None:
        """Release the hold under the cursor, once that is confirmed."""
        chosen = self.rows.chosen
        if chosen is None:
            return
        steps: list[list[Part]] = [[("release ", "bold"), chosen.id, "  ", chosen.query],
                                   [("What it kept can be erased from then on.", "warning")]]  # fmt: skip
        if await self.app.push_screen_wait(ConfirmScreen(f"Release {chosen.id}", steps)):
            await console_app(self).connection.call(lambda client: client.erasures.release(chosen.id))
            self.load()

    @work(exclusive=True, group="act")
    async def action_erase(self) -> None:
        """Erase what is selected, after a dry run and a confirmation."""
        selection = self._chosen()
        reason = await why(self, "Erase", f"About {selection.words}.") if selection else None
        if selection is not None and reason is not None:
            await self._erase(of_selection(selection, reason))

    @work(exclusive=True, group="act")
    async def action_erase_person(self) -> None:
        """Erase all of a person, after a dry run and a confirmation."""
        name = await self._named("Erase a person")
        reason = await why(self, "Erase", f"About all that {name} submitted and said.") if name else None
        if name is not None and reason is not None:
            await self._erase(of_person(name, reason))

    async def _erase(self, request: ErasureRequest) -> None:
        self.say("erasing …")
        report = await erase(self, request)
        self.say("")
        if report is not None:
            self.notify(done_words(report), severity="warning" if report.more else "information")

    @work(exclusive=True, group="act")
    async def action_export_person(self) -> None:
        """Ask for a name and a file, and save everything that is stored about the person in it."""
        name = await self._named("A person's file")
        if name is None:
            return
        about = f"Everything that is stored about {name}, as a ZIP. That it was made is recorded."
        file = await self.app.push_screen_wait(PromptScreen("Save as", about, "person.zip"))
        if file is not None:
            self.say("collecting …")
            saved = await console_app(self).connection.call(lambda client: _saved(client, name, file))
            self.say("")
            if saved is not None:
                self.notify(f"Saved {size(saved)} to {file}")

    async def _named(self, title: str) -> str | None:
        about = "The name under which they submitted and decided."
        return await self.app.push_screen_wait(PromptScreen(title, about))

    def _chosen(self) -> Selection | None:
        selection = self.selection
        if selection is None:
            self.notify("Select in History first: m marks, / searches.", severity="warning")
        elif selection.is_too_long:
            self.notify("Mark fewer submissions, or search for them.", severity="warning")
            return None
        return selection

    @work(exclusive=True, group="act")
    async def action_erasures(self) -> None:
        """List what was erased; a search that it leads to closes this list, too."""
        if query := await self.app.push_screen_wait(ErasuresScreen(leads_on=self._leads_on)):
            self.dismiss(query)

    def action_find(self) -> None:
        """Close, and search for what was erased."""
        self.dismiss(ERASED)


async def _saved(client: Client, name: str, file: str) -> int:
    return await asyncio.to_thread(save_bytes, await client.erasures.person_file(name), file)
