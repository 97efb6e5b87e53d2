"""Review: the queue, the selected submission and its violations; approve, reduce permissions, or deny."""

from __future__ import annotations

import time
from collections.abc import Iterable

from textual import on, work
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Input, Static

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.code_view.view import CodeView
from console.review import bindings
from console.review.answer.panel import AnswerPanel
from console.review.case_header import CaseHeader
from console.review.decision_actions import DecisionActions
from console.review.queue.actions import QueueActions
from console.review.queue.listing import QueueList
from console.review.queue.marked import assign_marked
from console.review.reader import SubmissionReader
from console.review.requests import RequestPanel
from console.review.search_bar import Asks, SearchBar
from console.review.selection import SelectedSubmission
from console.review.sheets import open_sheet
from console.review.violations import ViolationDetail, ViolationList

KEY_SECONDS = 0.3
"""So long after a key nothing is updated that can wait."""
MOST_SKIPPED = 4
"""After so many seconds the times are updated at the latest."""


class ReviewScreen(BaseScreen):
    """The screen of a reviewer."""

    NAME = "review"
    CSS_PATH = "review.tcss"
    HELP_TITLE = "Review"
    HELP_WORDS = (
        "Submissions wait here for a decision; one that expires is denied. Only what was displayed can be "
        "approved: Space goes to the next unread code, violation, input file or purpose. Violations are "
        "marked in the gutter and in the code; n and p move through them, and each HIGH or CRITICAL one is "
        "accepted (a), mitigated (m) or a false positive (x). To approve, press ctrl+y twice: no single "
        "plain key and no mouse click approves. Before you confirm, you can reduce permissions. c compares "
        "with the most similar approved submission. R rehearses the submission with decoys. After an "
        "approval, s pre-approves identical submissions; S lists and revokes pre-approvals."
    )
    BINDINGS = bindings.BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._reader = SubmissionReader(self)
        self._decisions = DecisionActions(self, self._reader)
        self._selection = SelectedSubmission(self, self._reader, self._decisions)
        self._queue = QueueActions(self, self._selection)
        self._skipped = 0

    def contents(self) -> Iterable[Widget]:
        """Lay out queue, code and violations."""
        yield QueueList(id="queue")
        with Vertical(id="middle"):
            yield Static("No submission to show.", id="none")
            yield CaseHeader(id="head")
            yield AnswerPanel(id="answer")
            yield CodeView(id="code")
        with Container(id="side"):
            yield ViolationList(id="violations")
            yield ViolationDetail(id="detail")
            yield RequestPanel(id="request")

    def below(self) -> Iterable[Widget]:
        """Lay out the search line."""
        yield SearchBar()

    def on_mount(self) -> None:
        """Follow the queue."""
        super().on_mount()
        self.query_one("#middle").add_class("box")
        self._unsubscribe = console_app(self).connection.subscribe(self._selection.on_event)
        self.follow_queue(lambda: self._selection.queue_changed(console_app(self).queue))
        if (decisions := console_app(self).decisions) is not None:
            decisions.on_undone = self.query_one(QueueList).go_to
        self.watch(self.query_one(QueueList), "cursor", self._select, init=False)
        self.watch(self.app, "connection_state", self._selection.connected)
        self.watch(self.app, "health", self._decisions.update, init=False)
        self.set_interval(0.2, self._decisions.update)
        self.set_interval(1.0, self._tick)

    def _select(self) -> None:
        """Show another submission in the frame in which the cursor moves."""
        self._selection.select(self.query_one(QueueList).chosen)

    def on_unmount(self) -> None:
        """Follow the events no longer."""
        self._unsubscribe()

    def _tick(self) -> None:
        """Update the time that is left, all of it in one frame; while keys are pressed, less often."""
        if not self.is_current:
            return
        self._selection.tick()
        self._skipped += 1
        idle = console_app(self).key_guard.idle(time.monotonic(), KEY_SECONDS)
        if idle or self._skipped >= MOST_SKIPPED:
            self._skipped = 0
            self._selection.freshen()

    @property
    def obstacle(self) -> str:
        """Why the submission cannot be approved yet, or nothing."""
        return self._decisions.obstacle()

    @property
    def unread(self) -> str:
        """What has to be reviewed before the submission can be approved, or nothing."""
        return self._decisions.unread.plain

    @on(ViolationList.Moved, "#violations")
    def _moved(self, message: ViolationList.Moved) -> None:
        self._reader.show_violation(message.index)

    # --- actions: deciding ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer the actions that apply to the selected submission."""
        case, recorder = self._reader.case, self._reader.recorder
        if action in {"approve", "deny", *bindings.READING} or "rehearsal" in parameters:
            return case is not None
        if action == "triage":
            return recorder is not None and bool(recorder.coverage_gaps.untriaged or recorder.outcomes)
        if action == "violation":
            return case is not None and bool(case.analysis.violations)
        if action == "files":
            return case is not None and bool(case.submission.draft.files)
        if action == "submission":
            return len(console_app(self).queue) > 1
        return True

    @work(exclusive=True, group="decide")
    async def action_approve(self) -> None:
        """Ask for confirmation, then approve what was displayed."""
        await self._decisions.approve()

    @work(exclusive=True, group="decide")
    async def action_deny(self) -> None:
        """Ask for a reason, then deny."""
        await self._decisions.deny()

    @work(exclusive=True, group="decide")
    async def action_request_changes(self) -> None:
        """Ask for comments that go to the agent."""
        await self._decisions.request_changes()

    @work(exclusive=True, group="claim")
    async def action_more_time(self) -> None:
        """Give the submission more time."""
        if (case := await self._decisions.extend()) is not None:
            self._selection.update(case)

    @work(exclusive=True, group="claim")
    async def action_claim(self) -> None:
        """Claim the submission, or release it."""
        case = await self._decisions.claim()
        if case is not None:
            self._selection.update(case)

    @work(exclusive=True, group="triage")
    async def action_triage(self, outcome: str) -> None:
        """Resolve the selected violation, and go to the next one."""
        await self._reader.triage(outcome)

    def action_open(self, name: str) -> None:
        """Open one of the lists and forms beside the queue."""
        open_sheet(self, name, self._reader, self._selection.rehearsals)

    # --- actions: reading -------------------------------------------------------------------------

    def action_next_unread(self) -> None:
        """Go to what was not displayed yet."""
        self._reader.next_unread()

    def action_violation(self, step: int) -> None:
        """Go to the next or previous violation."""
        self._reader.step_violation(step)

    def action_files(self) -> None:
        """View the input files."""
        self._reader.open_files()

    @work(exclusive=True, group="compare")
    async def action_compare(self) -> None:
        """Show the difference to the most similar approved submission."""
        await self._reader.compare()

    def action_submission(self, step: int) -> None:
        """Go to the next or previous submission of the queue."""
        self.query_one(QueueList).cursor += step

    def action_queue(self, action: str) -> None:
        """Sort, filter or mark the list of submissions."""
        self._queue.run(action)

    @on(QueueList.Chosen, "#queue")
    def _chosen(self) -> None:
        self._queue.close_list()

    @on(Input.Changed, "#search-bar")
    def _typed(self, message: Input.Changed) -> None:
        self._queue.filter_typed(message.value)

    def action_scroll_code(self, by: str, step: int) -> None:
        """Scroll the code by lines or pages."""
        view = self.query_one(CodeView)
        view.action_page(step) if by == "page" else view.action_scroll(step)

    def action_panel(self) -> None:
        """Toggle details/permissions, where both do not fit."""
        self.toggle_class("-request")

    def action_zoom(self) -> None:
        """Toggle code only."""
        self.toggle_class("-zoom")

    def action_wrap(self) -> None:
        """Toggle wrapping of long lines."""
        view = self.query_one(CodeView)
        view.wrapped = not view.wrapped

    def action_fold(self) -> None:
        """Fold a block of the code."""
        self.query_one(CodeView).fold()

    def action_unfold(self) -> None:
        """Unfold every block."""
        self.query_one(CodeView).unfold()

    def action_search(self) -> None:
        """Open the search line."""
        self.query_one(SearchBar).open_search()

    def action_line(self) -> None:
        """Ask for the number of a line."""
        self.query_one(SearchBar).open_line()

    @work(exclusive=True, group="assign")
    async def _assign(self, to: str) -> None:
        await assign_marked(self, to)

    @on(Input.Submitted, "#search-bar")
    def _submitted(self, message: Input.Submitted) -> None:
        if self.query_one(SearchBar).asks is Asks.REVIEWER:
            self._assign(message.value.strip())
        words = self.query_one(SearchBar).submit_to(self.query_one(CodeView), message.value)
        if words:
            self.notify(words)
        self.query_one(SearchBar).close()
        self.set_focus(None)

    def action_hit(self, step: int) -> None:
        """Go to the next or previous match."""
        self.query_one(CodeView).next_match(step)

    def action_leave(self) -> None:
        """Close the search line, remove the filter, and leave whatever is focused."""
        self._queue.leave()
