"""The keys of responders, for whatever is within: the table of History, or a case."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.containers import Vertical

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
        Binding("n", "note", "Note", id="respond.note", show=False, tooltip="Note on what is selected"),
        Binding("T", "tag", "Tag", id="respond.tag", show=False, tooltip="Tag what is selected"),
    ]  # fmt: skip

    def __init__(self, select: Select, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._select = select

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
