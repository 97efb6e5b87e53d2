"""Respond: choose what to stop, pause and block of what a selection leads to, and confirm it."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.plan_rows import PlanRows
from console.history.responding.steps import request_lines
from console.safety.text import Part, content
from console.widgets.footer import KeyFooter
from engine.common.text import many
from engine.models.response import Response, ResponsePlan


class RespondScreen(ModalScreen[Response | None]):
    """Returns what was done, or None. Nothing happens before the confirmation."""

    AUTO_FOCUS = "#plan"
    HELP_TITLE = "Respond"
    HELP_WORDS = (
        "Runs of the selection that go on, and what could be blocked. Space chooses a block; left "
        "and right change what becomes of the runs and how long blocks last. ctrl+y lists all steps and asks "
        "again. b in History lists what was done, and undoes it."
    )
    DEFAULT_CSS = """
    RespondScreen .sheet Static { height: auto; }
    RespondScreen PlanRows { background: $surface; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "act", "Go on", id="respond.act", priority=True, tooltip="List every step and ask"),
        Binding("tab", "reason", "Reason", id="respond.reason", tooltip="Type why, or go back to the list"),
        Binding("escape", "leave", "Back", id="respond.leave", tooltip="Back; nothing is done"),
    ]

    def __init__(self, plan: ResponsePlan, words: str) -> None:
        super().__init__()
        self._plan = plan
        self._words = words

    def compose(self) -> ComposeResult:
        """Lay out what it is about, the choices, and the reason."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Respond"
            yield Static(content(*self._about()))
            yield PlanRows(self._plan)
            yield Input(id="reason", placeholder="Reason (recorded; refused agents are told)",
                        select_on_focus=False)  # fmt: skip
        yield KeyFooter()

    def _about(self) -> list[Part]:
        total = self._plan.total
        at_least = "" if total.exact else "at least "
        some = "" if self._plan.complete else "; only the newest were looked at for what could be blocked"
        found = f"{at_least}{many(total.count, 'submission')}, {len(self._plan.running)} running{some}"
        return [self._words, (f"   {found}", "muted")]

    def action_reason(self) -> None:
        """Go to the reason, or back to the list."""
        rows = self.query_one(PlanRows)
        (self.query_one("#reason", Input) if rows.has_focus else rows).focus()

    @work(exclusive=True)
    async def action_act(self) -> None:
        """List every step, and do them once they are confirmed."""
        request = self.query_one(PlanRows).request(self.query_one("#reason", Input).value.strip())
        steps = request_lines(request)
        if not (request.stop or request.pause or request.block):
            self.notify("Nothing is chosen. Space chooses.", severity="warning")
        elif await self.app.push_screen_wait(ConfirmScreen("Respond", steps)):
            made = await console_app(self).connection.call(lambda client: client.responses.respond(request))
            if made is not None:
                self.dismiss(made)

    def action_leave(self) -> None:
        """Close; nothing is done."""
        self.dismiss(None)
