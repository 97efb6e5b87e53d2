"""Review: who waits, what they want to run, what is wrong with it; approve, narrow or deny."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input

from console.app.state import console_app
from console.code_view.view import CodeView
from console.review.case_header import CaseHeader
from console.review.deciding_actions import Judging
from console.review.queue import QueueList
from console.review.requests import RequestPanel
from console.review.violations import ViolationDetail, ViolationList
from engine.common.presentation import text_to_review
from engine.models import Case, Event, Summary

_SETTLE = Binding.Group("Settle", compact=True)

LOOKING = frozenset(
    {"search", "line", "wrap", "fold", "unfold", "panel", "zoom", "read_on", "compare", "claim"}
)
"""What can be done with a submission on screen."""


class ReviewScreen(Judging):
    """The reviewer's place."""

    NAME = "review"
    CSS_PATH = "review.tcss"
    HELP_TITLE = "Review"
    HELP_WORDS = (
        "Agents wait here for a decision; whoever is not answered before the bar is empty is denied. "
        "Only what was on screen can be approved: space reads on to what was not, be it code, a violation, "
        "an input file or the purpose. Marks in the gutter and under the code are violations; n and p walk "
        "through them, and each of HIGH or CRITICAL is accepted (a), mitigated (m) or a false alarm (x). "
        "Approving is ctrl+y twice, never a single plain key and never the mouse. In the sheet that opens "
        "you can give less than was asked. c shows what differs from the nearest one that was approved. "
        "After an approval, s approves its like beforehand; S lists such approvals and takes them back."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+y", "approve", "Approve", id="review.approve",
                tooltip="Approve exactly what is shown, or less of what it asks for"),
        Binding("d", "deny", "Deny", id="review.deny", tooltip="Deny, with a reason"),
        Binding("n", "violation(1)", "Next", id="review.next", tooltip="The next violation"),
        Binding("p", "violation(-1)", "Previous", id="review.previous", show=False,
                tooltip="The violation before"),
        Binding("space", "read_on", "Read on", id="review.read-on",
                tooltip="Go to what was not on screen yet"),
        Binding("a", "settle('accepted')", "Accept", id="review.accept", group=_SETTLE,
                tooltip="Accept the violation: the code may do this"),
        Binding("m", "settle('mitigated')", "Mitigated", id="review.mitigate", group=_SETTLE,
                tooltip="Something else keeps the violation from harm"),
        Binding("x", "settle('false-positive')", "False alarm", id="review.false-alarm", group=_SETTLE,
                tooltip="The violation is a false positive"),
        Binding("left_square_bracket", "submission(-1)", "Above in queue", key_display="[", show=False,
                id="review.submission-before", tooltip="The submission above in the queue"),
        Binding("right_square_bracket", "submission(1)", "Below in queue", key_display="]", show=False,
                id="review.submission-next", tooltip="The submission below in the queue"),
        Binding("slash", "search", "Search", key_display="/", id="review.search", show=False,
                tooltip="Search in the code"),
        Binding("full_stop", "hit(1)", "Next found", key_display=".", show=False, id="review.hit-next",
                tooltip="The next place found"),
        Binding("comma", "hit(-1)", "Found before", key_display=",", show=False, id="review.hit-before",
                tooltip="The place found before"),
        Binding("g", "line", "Line", id="review.line", tooltip="Go to a line by its number", show=False),
        Binding("w", "wrap", "Wrap", id="review.wrap", tooltip="Wrap long lines, or cut them", show=False),
        Binding("minus", "fold", "Fold", key_display="-", show=False, id="review.fold",
                tooltip="Fold the block of the violation, or the one at the top"),
        Binding("plus", "unfold", "Unfold", key_display="+", show=False, id="review.unfold",
                tooltip="Open every block again"),
        Binding("z", "zoom", "Zoom", id="review.zoom", show=False, tooltip="The code alone, or all"),
        Binding("i", "panel", "Wants", id="review.panel", tooltip="Change between why and wants"),
        Binding("v", "files", "Files", id="review.files", tooltip="Look at the input files"),
        Binding("c", "compare", "Compare", id="review.compare",
                tooltip="What differs from the approved submission that is most like it"),
        Binding("t", "claim", "Take", id="review.claim", show=False,
                tooltip="Keep other reviewers from approving this while you read it, or let go of it"),
        Binding("s", "pre_approve", "Pre-approve", id="review.pre-approve", show=False,
                tooltip="Approve beforehand what is the same as what you approved last"),
        Binding("S", "pre_approvals", "Pre-approvals", id="review.pre-approvals", show=False,
                tooltip="List what is approved beforehand, and take it back"),
        Binding("escape", "leave", "Leave", id="review.leave", show=False, tooltip="Close the search line"),
    ]  # fmt: skip

    def contents(self) -> Iterable[Widget]:
        """Lay out queue, code, and what is wrong with it."""
        yield QueueList(id="queue")
        with Vertical(id="middle"):
            yield CaseHeader(id="head")
            yield CodeView(id="code")
        with Container(id="side"):
            yield ViolationList(id="violations")
            yield ViolationDetail(id="detail")
            yield RequestPanel(id="request")

    def below(self) -> Iterable[Widget]:
        """Lay out the line to search in."""
        yield Input(id="search-bar", select_on_focus=False)

    def on_mount(self) -> None:
        """Follow the queue."""
        super().on_mount()
        self.query_one("#middle").add_class("box")
        self._stop_listening = console_app(self).listen(self._happened)
        self.watch(self.app, "queue", self._queue_changed)
        self.watch(self.app, "health", self.arm, init=False)
        self.set_interval(0.2, self.arm)
        self.set_interval(1.0, self._tick)

    def on_unmount(self) -> None:
        """Listen no more."""
        self._stop_listening()

    def _tick(self) -> None:
        """Let the bars shrink, all of them in one frame."""
        if self.is_current:
            self.query_one(QueueList).freshen()
            self.query_one(CaseHeader).freshen()

    # --- what is shown ----------------------------------------------------------------------------

    def _queue_changed(self, queue: tuple[Summary, ...]) -> None:
        rows = self.query_one(QueueList)
        rows.show(queue)
        self._follow(rows.chosen)

    def _follow(self, summary: Summary | None) -> None:
        if summary is None:
            self._show(None, None)
        elif self._case is None or summary.id != self._case.submission.id:
            self._load(summary)

    @on(QueueList.Moved)
    def _moved(self, message: QueueList.Moved) -> None:
        if isinstance(message.rows, QueueList):
            self._follow(message.rows.chosen)
        elif isinstance(message.rows, ViolationList):
            self.look_at(message.index)

    @work(exclusive=True, group="case")
    async def _load(self, summary: Summary) -> None:
        case = await console_app(self).ask(lambda client: client.case(summary.id))
        if case is None:
            return
        shown = self._case
        if shown is not None and shown.submission == case.submission:
            self._summary = summary
            self.renew(case)
        else:
            self._show(case, summary)

    def _happened(self, event: Event) -> None:
        """Take in what another reviewer did about the submission that is shown."""
        known = self._case is not None and event.subject == self._case.submission.id
        if (
            known
            and self._summary
            and event.type in {"decision.first_approval", "claim.created", "claim.released"}
        ):
            self._load(self._summary)

    def renew(self, case: Case) -> None:
        """Show what became of the submission on screen."""
        self._case = case
        self.query_one(CaseHeader).show(case, self._summary)
        self.query_one(RequestPanel).show(case)

    def _show(self, case: Case | None, summary: Summary | None) -> None:
        self._case, self._summary = case, summary
        recorder = self.start_recording(case)
        self.set_class(case is None, "-empty")
        self.query_one(CaseHeader).show(case, summary)
        self.query_one(RequestPanel).show(case)
        violations = case.analysis.violations if case else ()
        self.query_one(ViolationList).show(violations, recorder.settled if recorder else {})
        self.query_one(ViolationDetail).show(violations[0] if violations else None)
        if case is not None and recorder is not None:
            draft = case.submission.draft
            self.query_one(CodeView).show(text_to_review(draft), draft.language, violations, recorder.lines)
        self.set_class(case is not None and not violations, "-clean")
        self.disarm()
        self.refresh_bindings()

    # --- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer what makes sense for what is shown."""
        case = self._case
        if action in {"approve", "deny", *LOOKING}:
            return case is not None
        if action == "settle":
            return self._recorder is not None and bool(
                self._recorder.coverage_gaps.untriaged or self._recorder.settled
            )
        if action == "violation":
            return case is not None and bool(case.analysis.violations)
        if action == "files":
            return case is not None and bool(case.submission.draft.files)
        if action == "submission":
            return len(console_app(self).queue) > 1
        return True

    def action_submission(self, step: int) -> None:
        """Go to another submission of the queue."""
        self.query_one(QueueList).cursor += step

    def action_fold(self) -> None:
        """Fold a block of the code."""
        self.query_one(CodeView).fold()

    def action_unfold(self) -> None:
        """Show all of the code."""
        self.query_one(CodeView).unfold()
