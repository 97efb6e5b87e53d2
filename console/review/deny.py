"""Confirming a denial: a reason, typed or chosen from recent ones."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Input, Static

from console.review import reasons
from console.review.decisions import Batch, PendingDecision
from console.review.unsent import drafts
from console.safety.text import Part, clip, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import full_badge
from console.widgets.rows import Rows
from engine.models import Case, DecisionOutcome

MOST_LISTED = 6
SAVE_SECONDS = 0.2
"""What is typed is on disk this long after it at most."""


class ReasonRows(Rows):
    """Recent reasons."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(id="reasons")
        self.reasons = reasons

    @property
    def count(self) -> int:
        """How many reasons there are."""
        return len(self.reasons)

    def on_mount(self) -> None:
        """Take the rows in."""
        self.styles.height = self.count
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a reason."""
        return [" ", ("· ", "muted"), clip(self.reasons[index], width - 4)]


class DenyScreen(ModalScreen[Batch | None]):
    """Returns denials of the cases that it was opened for, or None."""

    AUTO_FOCUS = "#reason"
    DEFAULT_CSS = """
    DenyScreen .sheet { border: round $error; border-title-color: $error; }
    DenyScreen .sheet Static { height: auto; }
    DenyScreen ReasonRows { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "pick", "Reasons", id="deny.pick", tooltip="Choose a recent reason"),
        Binding("enter", "nothing", "Deny", id="deny.confirm", tooltip="Deny with this reason"),
        Binding("escape", "cancel", "Back", id="deny.cancel", tooltip="Back without a decision"),
    ]

    def __init__(self, *cases: Case) -> None:
        super().__init__()
        self._cases = cases
        self._about = cases[0].submission.id
        self._saving: Timer | None = None

    def compose(self) -> ComposeResult:
        """Lay out an input for a reason, and recent reasons."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Deny" if len(self._cases) == 1 else f"Deny {len(self._cases)} submissions"
            yield Static(paragraphs(*_lines(self._cases)))
            typed = drafts.load(self._about).reason
            yield Input(typed, id="reason", placeholder="Reason (sent to the agent)", select_on_focus=False)
            yield ReasonRows(reasons.load())
        yield KeyFooter()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Save what is typed."""
        self._saving = self._saving or self.set_timer(SAVE_SECONDS, self._save)

    def _save(self) -> None:
        self._saving = None
        typed = self.query_one("#reason", Input).value
        drafts.save(self._about, drafts.load(self._about).model_copy(update={"reason": typed}))

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Deny with the reason that was typed."""
        self._deny(message.value.strip())

    def on_rows_chosen(self, message: Rows.Chosen) -> None:
        """Deny with a recent reason."""
        self._deny(self.query_one(ReasonRows).reasons[message.index])

    def _deny(self, reason: str) -> None:
        reasons.remember(reason)
        self._save()
        self.dismiss(tuple(PendingDecision(each, DecisionOutcome.DENIED, reason) for each in self._cases))

    def action_pick(self) -> None:
        """Go to the recent reasons."""
        self.query_one(ReasonRows).focus()

    def action_nothing(self) -> None:
        """Do nothing: the input submits itself; the binding shows the key in the footer."""

    def action_cancel(self) -> None:
        """Close without a decision; the reason is kept."""
        self._save()
        self.dismiss(None)


def _lines(cases: tuple[Case, ...]) -> list[list[Part]]:
    lines: list[list[Part]] = [
        [full_badge(each.assessment.risk), "  ", (each.submission.id, "bold"),
         "  requested by ", each.submission.requester.name]
        for each in cases[:MOST_LISTED]
    ]  # fmt: skip
    more = len(cases) - MOST_LISTED
    return [*lines, [(f"and {more} more", "muted")]] if more > 0 else lines
