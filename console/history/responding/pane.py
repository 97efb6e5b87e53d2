"""The keys of responders, for whatever is within: the table of History, or a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.screen import ModalScreen

from console.app.state import console_app
from console.history.responding.annotations import note, tag
from console.history.responding.selection import Selection

Select = Callable[[bool], Selection | None]
"""Returns what is selected; with True, a search counts where nothing is marked."""


class RespondingPane(Vertical):
    """Responds to what is selected, adds it to incidents, and writes notes and tags on it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("R", "respond", "Respond", id="respond.open", show=False,
                tooltip="Stop, pause and block what is selected"),
        Binding("b", "responses", "Blocks", id="respond.list", show=False,
                tooltip="List blocks and responses, and undo them"),
        Binding("i", "incidents", "Incidents", id="respond.incidents", show=False,
                tooltip="Open an incident, or add what is selected to one"),
        Binding("E", "holds", "Holds", id="respond.holds", show=False,
                tooltip="Place legal holds, erase, and export a person's file"),
        Binding("A", "rescans", "Rescans", id="respond.rescans", show=False,
                tooltip="Apply today's analysis and policy to what is selected"),
        Binding("n", "note", "Note", id="respond.note", show=False, tooltip="Note on what is selected"),
        Binding("T", "tag", "Tag", id="respond.tag", show=False, tooltip="Tag what is selected"),
    ]  # fmt: skip

    class SearchWanted(Message):
        """Somebody wants to search the history for this."""

        def __init__(self, query: str) -> None:
            super().__init__()
            self.query = query

    def __init__(self, select: Select, *, leads_on: bool = True, id: str | None = None) -> None:
        """Act on what `select` returns; with `leads_on` there is a search that can be changed."""
        super().__init__(id=id)
        self._select = select
        self._leads_on = leads_on

    @work(exclusive=True, group="respond")
    async def action_respond(self) -> None:
        """Show what the selection leads to, and do what is chosen and confirmed."""
        from console.history.responding.respond import RespondScreen  # noqa: PLC0415  on its first use

        selection = self._chosen()
        if selection is None or selection.is_too_long:
            self.notify("Mark fewer submissions, or search for them.", severity="warning")
            return
        plan = await console_app(self).connection.call(lambda client: client.responses.plan(selection.query))
        if plan is None:
            return
        made = await self.app.push_screen_wait(RespondScreen(plan, selection.words))
        if made is not None:
            words = "\n".join([f"{made.id} is done; b lists it and undoes it.", *made.problems])
            self.notify(words, severity="warning" if made.problems else "information")

    def action_responses(self) -> None:
        """List blocks and responses."""
        from console.history.responding.responses import ResponsesScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(ResponsesScreen())

    def action_incidents(self) -> None:
        """List incidents, to add what is selected to one."""
        from console.history.responding.incidents import IncidentsScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(IncidentsScreen(self._select(True)))

    @work(exclusive=True, group="respond")
    async def action_holds(self) -> None:
        """List legal holds, to place one on what is selected, or to erase it."""
        from console.history.responding.holds import HoldsScreen  # noqa: PLC0415  on its first use

        await self._searched(HoldsScreen(self._select(True), leads_on=self._leads_on))

    @work(exclusive=True, group="respond")
    async def action_rescans(self) -> None:
        """List rescans, to start one on what is selected."""
        from console.history.responding.rescans import RescansScreen  # noqa: PLC0415  on its first use

        await self._searched(RescansScreen(self._select(True), leads_on=self._leads_on))

    async def _searched(self, screen: ModalScreen[str | None]) -> None:
        """Show a sheet, and have searched for what it leads to."""
        if query := await self.app.push_screen_wait(screen):
            self.post_message(self.SearchWanted(query))

    @work(exclusive=True, group="respond")
    async def action_note(self) -> None:
        """Write a note on what is selected."""
        if selection := self._chosen(search=False):
            await note(self, selection)

    @work(exclusive=True, group="respond")
    async def action_tag(self) -> None:
        """Tag what is selected."""
        if selection := self._chosen(search=False):
            await tag(self, selection)

    def _chosen(self, *, search: bool = True) -> Selection | None:
        selection = self._select(search)
        if selection is None:
            self.notify("Nothing is selected.", severity="warning")
        return selection
