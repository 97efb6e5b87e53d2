"""The list of what expired before anybody decided; each can wait again."""

from __future__ import annotations

from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.safety.text import Part, clip, content, pad
from console.widgets.footer import KeyFooter
from console.widgets.formatting import badge, now, when
from console.widgets.offline_rows import OfflineRows
from console.widgets.rows import Rows
from engine.common.text import many
from engine.models import QueueEntry


class ExpiredRows(OfflineRows):
    """One row for each submission that expired, the latest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("Nothing expired within a week.", "bold success")],)

    def __init__(self) -> None:
        super().__init__(id="expired")
        self.entries: tuple[QueueEntry, ...] = ()

    @property
    def count(self) -> int:
        """How many expired."""
        return len(self.entries)

    def show(self, entries: tuple[QueueEntry, ...]) -> None:
        """Show what expired."""
        self.entries = entries
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw when it expired, its level and agent, and why it had this level."""
        entry = self.entries[index]
        summary = entry.summary
        moment = when(summary.deadline, now()) if summary.deadline else ""
        return [" ", badge(summary.risk), f" {moment:<17}", pad(summary.requester, 18), " ",
                (clip(entry.level_reason, max(4, width - 42)), "muted")]  # fmt: skip


class ExpiredScreen(ModalScreen[str | None]):
    """Lists what expired; Enter opens the case, and the result is the submission that one waits again as."""

    AUTO_FOCUS = "#expired"
    DEFAULT_CSS = """
    ExpiredScreen .sheet { width: 96%; height: 80%; }
    ExpiredScreen ExpiredRows { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,b,q", "leave", "Close", id="expired.close", tooltip="Back to the queue"),
        Binding("r", "revive", "Revive", id="expired.revive",
                tooltip="Let it wait again as a new submission, to decide now"),
    ]  # fmt: skip

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Expired"
            sheet.border_subtitle = "r: revive, to decide now   Enter: open the case   Esc: close"
            yield ExpiredRows()
        yield KeyFooter()

    def on_mount(self) -> None:
        """Load the list, as soon as the engine is reached and whenever it is reached again."""
        self.watch(self.app, "connection_state", self._connected)

    def _connected(self, state: str) -> None:
        if state == "connected":
            self._load()

    @work(exclusive=True)
    async def _load(self) -> None:
        found = await console_app(self).connection.call(lambda client: client.reviews.expired())
        if found is not None:
            self.query_one(ExpiredRows).show(found)
            title = f"{many(len(found), 'submission')} expired before anybody decided"
            set_border_title(self.query_one(".sheet"), content(title if found else "Expired"))

    @on(Rows.Chosen)
    def _open(self, message: Rows.Chosen) -> None:
        from console.history.case import CaseScreen  # noqa: PLC0415  on its first use

        id = self.query_one(ExpiredRows).entries[message.index].summary.id
        self.app.push_screen(CaseScreen(id))

    @work(exclusive=True, group="revive")
    async def action_revive(self) -> None:
        """Let the selected one wait again, and go to it."""
        rows = self.query_one(ExpiredRows)
        if not rows.entries:
            return
        id = rows.entries[rows.cursor].summary.id
        revived = await console_app(self).connection.call(lambda client: client.reviews.revive(id))
        if revived is not None:
            self.notify(f"{id} waits again as {revived.submission.id}.")
            self.dismiss(revived.submission.id)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss()
