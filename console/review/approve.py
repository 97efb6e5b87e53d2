"""Confirming an approval: what exactly will run, and with which permissions."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.app.state import console_app
from console.review.answer.effects import verdict
from console.review.decisions import PendingDecision
from console.review.display_delay import DisplayDelay
from console.review.grants import GrantRows
from console.review.requests import NEED_CELLS, reviews
from console.review.ungrantable import ungrantable
from console.safety.text import Part, content, paragraphs
from console.widgets.footer import KeyFooter
from console.widgets.formatting import clock, full_badge, now, size
from console.widgets.rows import TALL, Rows
from engine.common.presentation import headline
from engine.common.text import Untrusted, many
from engine.models import Case, Consequence, DecisionOutcome

MAX_EFFECTS, MAX_EFFECTS_TALL = 4, 16
"""How many predicted effects the sheet repeats, also on a tall screen; the panel of Review has all."""


class ApproveScreen(ModalScreen[PendingDecision | None]):
    """Returns an approval of the case that it was opened for, or None."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    ApproveScreen .sheet Static { height: auto; }
    ApproveScreen .sheet { overflow-y: auto; }
    ApproveScreen #summary { dock: bottom; }
    ApproveScreen #fails { margin-bottom: 1; }
    ApproveScreen #reason { margin-top: 1; }
    ApproveScreen GrantRows { background: $surface; margin-top: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "ctrl+y",
            "confirm",
            "Approve",
            id="approve.confirm",
            priority=True,
            show=False,
            tooltip="Confirm approval",
        ),
        Binding(
            "tab",
            "app.focus_next",
            "Reduce permissions",
            id="approve.reduce",
            tooltip="Go to the permissions and limits",
        ),
        Binding("escape", "cancel", "Back", id="approve.cancel", tooltip="Back without a decision"),
    ]

    def __init__(self, case: Case, others: tuple[Case, ...] = ()) -> None:
        super().__init__()
        self._case = case
        self._others = others
        """Equivalent submissions that are approved as well."""
        self.delay = DisplayDelay()

    def compose(self) -> ComposeResult:
        """Lay out what will run, its permissions, and an input for a reason."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Approve"
            yield Static(paragraphs(*self._facts()))
            draft = self._case.submission.draft
            yield GrantRows(draft.permissions, ungrantable(draft), id="grants")
            yield Input(id="reason", placeholder="Reason (optional)", select_on_focus=False)
            yield Static(id="fails")
            yield Static(id="summary")
        yield KeyFooter()

    def on_mount(self) -> None:
        """Start the delay before the confirmation is accepted."""
        self.delay.restart()
        self._summarise()
        self.set_interval(1.0, self._summarise)

    def _facts(self) -> list[list[Part]]:
        submission = self._case.submission
        draft = submission.draft
        facts = f"{draft.language.value}, {size(len(draft.code.text.encode()))}"
        predicted = self._case.analysis.effects
        most = MAX_EFFECTS_TALL if self.app.size.height >= TALL else MAX_EFFECTS
        lines: list[list[Part]] = [
            [full_badge(self._case.assessment.risk), "  ", (submission.id, "bold"), f"  {facts}"],
            [("analysis  ", "muted"), verdict(self._case.analysis)],
            [("requester ", "muted"), submission.requester.name],
            [("digest    ", "muted"), (submission.digest, "faint")],
        ]
        if self._others:
            agents = ", ".join(dict.fromkeys(each.submission.requester.name.text for each in self._others))
            words = f"{many(len(self._others), 'equivalent submission')} of "
            lines.append([("and also  ", "bold warning"), words, Untrusted(agents)])
        if draft.operation is not None:
            lines.append([("tool call ", "bold accent"), headline(draft)])
        lines += reviews(self._case)
        lines += [
            [("file      ", "muted"), file.name, (f"  {size(len(file.content))}", "faint")]
            for file in draft.files
        ]
        lines += [
            [("predicted ", "muted"), (f"{each.kind.value:<{NEED_CELLS}}", "muted"), each.value]
            for each in predicted[:most]
        ]
        if (more := len(predicted) - most) > 0:
            lines.append([(f"          and {more} more; press i in Review for all", "faint")])
        return lines

    def on_rows_moved(self, message: Rows.Moved) -> None:
        """Update the summary of the grant, and what will fail with it."""
        self._summarise()
        self._predict_failures()

    @work(exclusive=True, group="consequences")
    async def _predict_failures(self) -> None:
        grant = self.query_one(GrantRows).grant
        id = self._case.submission.id
        found = (
            await console_app(self).connection.call(lambda client: client.consequences(id, grant))
            if grant
            else ()
        )
        self.query_one("#fails", Static).update(paragraphs(*(_failing(each) for each in found or ())))

    def _summarise(self) -> None:
        less = self.query_one(GrantRows).grant is not None
        words: Part = (
            ("Reduced permissions will be granted.", "warning")
            if less
            else ("All requested permissions will be granted.", "muted")
        )
        left = (self._case.deadline - now()).total_seconds() if self._case.deadline else None
        time: list[Part] = [(f"  {clock(left)} left", "bold warning")] if left is not None else []
        self.query_one("#summary", Static).update(
            content(words, "  ", ("ctrl+y", "bold success"), " confirms", *time)
        )

    @work(exclusive=True)
    async def action_confirm(self) -> None:
        """Approve, if a person pressed the key and the dialog was displayed long enough."""
        person = await console_app(self).key_guard.pressed_by_person()
        if person and self._case.deadline is not None and self._case.deadline <= now():
            self.notify("Expired: nobody can approve it any more.", severity="warning")
        elif person and self.delay.over:
            reason = self.query_one("#reason", Input).value.strip()
            self.dismiss(
                PendingDecision(self._case, DecisionOutcome.APPROVED, reason, self.query_one(GrantRows).grant)
            )

    def action_cancel(self) -> None:
        """Close without a decision."""
        self.dismiss(None)


def _failing(consequence: Consequence) -> list[Part]:
    """Return which lines fail, or may fail, without a permission."""
    lines = ", ".join(str(line) for line in consequence.lines[:12])
    if not lines:
        return [("without ", "muted"), consequence.permission, (": no line is known to use it", "muted")]
    more = " and more" if len(consequence.lines) > 12 else ""
    sure = "fail" if consequence.certain else "may fail"
    return [("without ", "muted"), consequence.permission, (f": {sure} in line {lines}{more}", "warning")]
