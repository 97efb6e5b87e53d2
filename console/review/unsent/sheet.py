"""Asking what to do with decisions that were made, but not sent before the console was killed."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.review.decisions import Batch, PendingDecision, outcome_word
from console.review.display_delay import DisplayDelay
from console.safety.text import Part, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import full_badge
from engine.common.text import many


class UnsentScreen(ModalScreen[bool | None]):
    """Returns True to send the decisions, False to drop them, None to be asked again by the next console."""

    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "send", "Send", id="unsent.send", priority=True, tooltip="Send these decisions"),
        Binding("ctrl+x", "drop", "Drop", id="unsent.drop", priority=True,
                tooltip="Drop these decisions; the submissions stay pending"),
        Binding("escape", "later", "Later", id="unsent.later", tooltip="Ask again at the next start"),
    ]  # fmt: skip

    def __init__(self, decisions: Batch) -> None:
        super().__init__()
        self._decisions = decisions
        self._delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out what was decided."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Not sent before the console ended"
            sheet.border_subtitle = "ctrl+y: send   ctrl+x: drop   Esc: ask again later"
            with VerticalScroll(id="said"):
                yield Static(paragraphs(*(line for each in self._decisions for line in _lines(each))))
        yield KeyFooter()

    def on_mount(self) -> None:
        """Accept no key that was meant for something else."""
        self._delay.restart()

    @work(exclusive=True)
    async def action_send(self) -> None:
        """Send the decisions, if a person pressed the key and they were displayed long enough."""
        if await console_app(self).key_guard.pressed_by_person() and self._delay.over:
            self.dismiss(True)

    @work(exclusive=True)
    async def action_drop(self) -> None:
        """Drop the decisions, if a person pressed the key and they were displayed long enough."""
        if await console_app(self).key_guard.pressed_by_person() and self._delay.over:
            self.dismiss(False)

    def action_later(self) -> None:
        """Keep the decisions for the next start."""
        self.dismiss(None)


def _lines(decision: PendingDecision) -> list[list[Part]]:
    """Return one decision: what was decided, about what, and the words that belong to it."""
    case, outcome = decision.case, decision.outcome
    lines: list[list[Part]] = [
        [full_badge(case.assessment.risk), "  ", (case.submission.id, "bold"), "  ",
         (outcome_word(outcome), "bold accent"), (" of ", "muted"), case.submission.requester.name]
    ]  # fmt: skip
    if decision.reason:
        lines.append([("  reason  ", "muted"), decision.reason])
    if decision.comments:
        lines.append([(f"  {many(len(decision.comments), 'comment')} on lines", "muted")])
    if decision.grant is not None:
        lines.append([("  with reduced permissions", "muted")])
    return lines
