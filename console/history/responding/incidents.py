"""Incidents: open one, add what is selected, write notes, look into it, and export it sealed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.selection import Selection
from console.run.saving import save_bytes
from console.safety.text import Part, clip, content, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import size
from console.widgets.item_rows import ItemRows
from engine.client.client import Client
from engine.client.incidents import sealed_with_progress
from engine.common.text import Untrusted, many
from engine.models.incident import EntryKind, Incident, NewEntry

LISTED = 200
"""So many entries at most are listed, the newest."""


class IncidentRows(ItemRows[Incident]):
    """One row for each incident, the newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No incidents.", "bold success")],
        [],
        [("n opens one with what is selected.", "muted")],
    )

    def __init__(self) -> None:
        super().__init__(id="incidents")

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw an incident."""
        one = self.items[index]
        what = f"{many(len(one.submissions), 'submission')}, {one.at:%Y-%m-%d %H:%M}"
        return [
            " ",
            one.id,
            "  ",
            (clip(one.name, max(8, width - len(what) - 20)), "bold"),
            (f"  {what}", "muted"),
        ]


class IncidentsScreen(ModalScreen[None]):
    """Lists incidents with what is in them; a selection is added to one."""

    AUTO_FOCUS = "#incidents"
    HELP_TITLE = "Incidents"
    HELP_WORDS = (
        "An incident collects submissions, searches and notes. n opens one; a adds what was selected in "
        "History: the marked submissions, or the search with what it finds now. N adds a note. x seals it "
        "into one file that anyone can verify: python3 verify.py --key KEY FILE."
    )
    DEFAULT_CSS = """
    IncidentsScreen IncidentRows { background: $surface; height: 1fr; }
    IncidentsScreen #entries { height: 2fr; border-top: solid $line; }
    IncidentsScreen #entries Static { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "open_new", "New", id="incidents.new", tooltip="Open an incident with what is selected"),
        Binding("a", "add", "Add", id="incidents.add", tooltip="Add what is selected to this incident"),
        Binding("N", "note", "Note", id="incidents.note", tooltip="Add a note to this incident"),
        Binding("x", "export", "Export", id="incidents.export", tooltip="Seal it into one file"),
        Binding("escape,q", "leave", "Back", id="incidents.leave", tooltip="Close the list"),
    ]

    def __init__(self, selection: Selection | None) -> None:
        super().__init__()
        self._selection = selection

    def compose(self) -> ComposeResult:
        """Lay out the list, and what is in the selected one."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Incidents"
            yield IncidentRows()
            with VerticalScroll(id="entries"):
                yield Static(id="listed")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the list."""
        self._show_progress(0, 0)
        self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        found = await console_app(self).connection.call(lambda client: client.incidents.list())
        if found is not None:
            self.query_one(IncidentRows).show(found)
            self.on_rows_moved()

    def on_rows_moved(self) -> None:
        """Show what is in the selected one."""
        chosen = self.query_one(IncidentRows).chosen
        self.query_one("#listed", Static).update(paragraphs(*entry_lines(chosen)) if chosen else "")

    @work(exclusive=True, group="act")
    async def action_open_new(self) -> None:
        """Ask for a name, and open an incident with what is selected."""
        about = f"Adds {self._selection.words}." if self._selection else "It begins empty."
        name = await self.app.push_screen_wait(PromptScreen("Open an incident", about))
        if name is None:
            return
        made = await console_app(self).connection.call(lambda client: client.incidents.open(name))
        if made is not None and self._selection is not None:
            await self._added(made.id, self._selection)
        self._load()

    @work(exclusive=True, group="act")
    async def action_add(self) -> None:
        """Add what is selected, once that is confirmed."""
        chosen, selection = self.query_one(IncidentRows).chosen, self._selection
        if chosen is None or selection is None:
            self.notify("Select in History first: m marks, / searches.", severity="warning")
            return
        steps: list[list[Part]] = [["add ", (selection.words, "bold"), " to ", (chosen.name, "bold")]]
        if await self.app.push_screen_wait(ConfirmScreen(f"Add to {chosen.id}", steps)):
            await self._added(chosen.id, selection)
            self._load()

    async def _added(self, id: str, selection: Selection) -> None:
        done = await console_app(self).connection.call(lambda client: _add(client, id, selection.entries))
        if done is not None:
            self.notify(f"{id}: {many(len(done.submissions), 'submission')}")

    @work(exclusive=True, group="act")
    async def action_note(self) -> None:
        """Ask for a note, and add it."""
        chosen = self.query_one(IncidentRows).chosen
        if chosen is None:
            return
        text = await self.app.push_screen_wait(PromptScreen("Note", f"About {chosen.id}. It is recorded."))
        if text is not None:
            entry = (NewEntry(kind=EntryKind.NOTE, value=Untrusted(text)),)
            await console_app(self).connection.call(lambda client: _add(client, chosen.id, entry))
            self._load()

    @work(exclusive=True, group="act")
    async def action_export(self) -> None:
        """Ask for the name of a file, and seal the incident into it. That is recorded."""
        chosen = self.query_one(IncidentRows).chosen
        if chosen is None:
            return
        about = f"Seals {chosen.id} with {many(len(chosen.submissions), 'case file')}. That is recorded."
        name = await self.app.push_screen_wait(PromptScreen("Export as", about, f"{chosen.id}.zip"))
        if name is not None:
            saved = await console_app(self).connection.call(
                lambda client: _saved(client, chosen.id, name, self._show_progress)
            )
            self._show_progress(0, 0)
            if saved is not None:
                self.notify(f"Saved {size(saved)} to {name}. To verify: python3 verify.py --key KEY FILE")
            self._load()

    def _show_progress(self, done: int, total: int) -> None:
        """Show how far the export is; with nothing in all, what is selected."""
        selected = f"selected: {self._selection.words}" if self._selection else ""
        words = f"sealing: {done:,} of {many(total, 'submission')}" if total else selected
        set_border_title(self.query_one(".sheet"), content(clip(words, 70)), below=True)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)


async def _add(client: Client, id: str, entries: tuple[NewEntry, ...]) -> Incident:
    """Add entries one after the other, and return the incident as it is then."""
    incident = await client.incidents.incident(id)
    for entry in entries:
        incident = await client.incidents.add(id, entry.kind, entry.value.text)
    return incident


async def _saved(client: Client, id: str, name: str, report: Callable[[int, int], object]) -> int:
    file = await sealed_with_progress(client.incidents, id, report)
    return await asyncio.to_thread(save_bytes, file, name)


def entry_lines(incident: Incident) -> list[list[Part]]:
    """Return what is in an incident, the newest first."""
    lines: list[list[Part]] = [
        [(f"{entry.at:%m-%d %H:%M} ", "muted"), (f"{entry.kind.value:<11}", "primary"),
         entry.value, (" by ", "muted"), entry.by]
        for entry in reversed(incident.entries[-LISTED:])
    ]  # fmt: skip
    return lines or [[("Nothing in it yet. a adds what is selected.", "muted")]]
