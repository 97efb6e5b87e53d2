"""Looking at a submission: its code, violations, files and wants, and a record of what was on screen."""

from __future__ import annotations

import asyncio

from textual import on, work
from textual.widgets import Input

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.code_view.view import CodeView
from console.review.case_header import CaseHeader
from console.review.requests import RequestPanel
from console.review.review_record import ReviewRecorder
from console.review.violations import ViolationDetail, ViolationList
from engine.models import Case, Level, TriageOutcome

MAX_RECORDERS = 200
"""Of how many submissions it is remembered what was on screen."""


class Reading(BaseScreen):
    """A place with a submission on screen. Whoever shows another one calls `start_recording`."""

    def __init__(self) -> None:
        super().__init__()
        self._case: Case | None = None
        self._recorder: ReviewRecorder | None = None
        self._kept: dict[str, ReviewRecorder] = {}
        self._looked_at = 0.0

    # --- what was on screen -------------------------------------------------------------------------

    def start_recording(self, case: Case | None) -> ReviewRecorder | None:
        """Begin to note what is seen of a case, or go on where it was left."""
        self._looked_at = asyncio.get_running_loop().time()
        self._recorder = None
        if case is not None:
            known = self._kept.pop(case.submission.id, None)
            self._recorder = (
                known if known and known.case.submission == case.submission else ReviewRecorder(case)
            )
            self._kept[case.submission.id] = self._recorder
            if len(self._kept) > MAX_RECORDERS:
                self._kept.pop(next(iter(self._kept)))
        return self._recorder

    def look(self) -> None:
        """Note what is on screen now."""
        now = asyncio.get_running_loop().time()
        since, self._looked_at = now - self._looked_at, now
        if self._recorder is None or self.app.screen is not self:
            return
        view, rows = self.query_one(CodeView), self.query_one(ViolationList)
        view.look()
        self._recorder.seconds += since
        self._recorder.lines |= view.seen_lines
        self._recorder.violations |= rows.on_screen
        if self.query_one(ViolationDetail).display and self._recorder.case.analysis.violations:
            self._recorder.violations.add(rows.cursor)
        self._recorder.purpose |= (
            self.query_one(CaseHeader).purpose_visible or self.query_one(RequestPanel).purpose_visible
        )

    def action_read_on(self) -> None:
        """Go to what was not on screen yet: the code first, then violations, input files and the purpose."""
        self.look()
        if self._recorder is None:
            return
        left = self._recorder.coverage_gaps
        if left.lines:
            view = self.query_one(CodeView)
            view.wrapped = True
            if not view.read_on():
                view.unfold()
                view.read_on()
        elif numbers := left.violations or left.untriaged:
            self._go_to_violation(numbers[0])
        elif left.files:
            self._open_files(left.files[0])
        elif left.purpose and (wants := self.query_one(RequestPanel)).region:
            wants.scroll_page_down(animate=False)
        elif left.purpose:
            self.remove_class("-zoom")
            self.add_class("-request")

    # --- violations ---------------------------------------------------------------------------------

    @work(exclusive=True, group="settle")
    async def action_settle(self, outcome: str) -> None:
        """Say what the violation that is looked at comes to, and go to the next one that waits for that."""
        recorder, number = self._recorder, self.query_one(ViolationList).cursor
        if (
            recorder is None
            or not await console_app(self).key_guard.pressed_by_person()
            or recorder is not self._recorder
        ):
            return
        if not recorder.needs_triage(number):
            self.notify("Only violations of HIGH or CRITICAL are settled: n goes to the next one.")
            return
        recorder.settled[number] = TriageOutcome(outcome)
        recorder.violations.add(number)
        self.query_one(ViolationList).refresh()
        self._go_to_violation(number if (after := recorder.next_untriaged(number)) is None else after)

    def _go_to_violation(self, number: int) -> None:
        self.query_one(ViolationList).cursor = number
        self.look_at(number)

    def action_violation(self, step: int) -> None:
        """Go to the next violation, or the one before."""
        rows, view = self.query_one(ViolationList), self.query_one(CodeView)
        if rows.count:
            self._go_to_violation(rows.cursor if view.current is None else (rows.cursor + step) % rows.count)

    def look_at(self, index: int) -> None:
        """Show a violation in the code and in full."""
        if self._case is not None and index < len(self._case.analysis.violations):
            self.query_one(CodeView).current = index
            made = self._recorder.settled.get(index) if self._recorder else None
            self.query_one(ViolationDetail).show(self._case.analysis.violations[index], made)

    # --- panels -------------------------------------------------------------------------------------

    def action_panel(self) -> None:
        """Change between the violation and what is wanted, where both do not fit."""
        self.toggle_class("-request")

    def action_zoom(self) -> None:
        """Show the code alone, or all."""
        self.toggle_class("-zoom")

    def action_wrap(self) -> None:
        """Wrap long lines, or cut them."""
        view = self.query_one(CodeView)
        view.wrapped = not view.wrapped

    def action_files(self) -> None:
        """Open the input files."""
        self._open_files(0)

    @work(exclusive=True, group="compare")
    async def action_compare(self) -> None:
        """Show what differs from the approved submission that is most like this one."""
        from console.review.compare import CompareScreen  # noqa: PLC0415  on its first use

        if (case := self._case) is None:
            return
        nearest = await console_app(self).ask(lambda client: client.nearest(case.submission.id))
        if nearest is None:
            self.notify("Nothing that was approved is like it.")
        elif self.app.screen is self:
            await self.app.push_screen(CompareScreen(case, nearest))

    def _open_files(self, at: int) -> None:
        from console.review.input_files import FilesScreen  # noqa: PLC0415  on its first use

        if self._case is None or not self._case.submission.draft.files:
            return
        recorder = self._recorder

        def closed(shown: frozenset[int] | None) -> None:
            if recorder is not None:
                recorder.files |= shown or frozenset()

        read = recorder.file_lines if recorder is not None else {}
        self.app.push_screen(FilesScreen(self._case.submission.draft.files, at, read), closed)

    def action_pre_approve(self) -> None:
        """Offer to approve beforehand what is the same as what was approved last."""
        from console.review.pre_approvals import PreApprovalScreen  # noqa: PLC0415  on its first use

        case = console_app(self).approved
        if case is None or case.assessment.risk is Level.CRITICAL:
            self.notify("Approve something first; nothing CRITICAL can be approved beforehand.")
        else:
            self.app.push_screen(PreApprovalScreen(case))

    def action_pre_approvals(self) -> None:
        """List what is approved beforehand."""
        from console.review.pre_approvals import PreApprovalsScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(PreApprovalsScreen())

    # --- the line to search in ----------------------------------------------------------------------

    def action_search(self) -> None:
        """Open the search line."""
        self._ask_line("Search the code; Enter goes on, Esc closes")

    def action_line(self) -> None:
        """Open the line for a line number."""
        self._ask_line("Go to line")

    def _ask_line(self, words: str) -> None:
        bar = self.query_one("#search-bar", Input)
        bar.placeholder, bar.value = words, ""
        bar.add_class("-open")
        bar.focus()

    @on(Input.Submitted, "#search-bar")
    def _searched(self, message: Input.Submitted) -> None:
        view = self.query_one(CodeView)
        if message.input.placeholder.startswith("Go"):
            if message.value.strip().isdecimal():
                view.go_to(int(message.value))
            self.action_leave()
            return
        found = view.search(message.value)
        self.notify(f"{found} found. A full stop goes on, a comma back." if found else "Nothing found.")
        self.action_leave()

    def action_hit(self, step: int) -> None:
        """Go to the next place found, or the one before."""
        self.query_one(CodeView).next_hit(step)

    def action_leave(self) -> None:
        """Close the line below, and leave whatever is focused."""
        self.query_one("#search-bar").remove_class("-open")
        self.set_focus(None)
