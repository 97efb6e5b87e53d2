"""Reading a submission: code, violations, input files and purpose, recorded as they are displayed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from console.app.state import console_app
from console.code_view.view import CodeView
from console.review.case_header import CaseHeader
from console.review.changes.revisions import LoadedRevisions
from console.review.reading.files import FileReading
from console.review.reading.unread import UnreadKind, UnreadPart
from console.review.requests import RequestPanel
from console.review.review_record import ReviewRecorder
from console.review.violations import ViolationDetail, ViolationList
from engine.models import Case, TriageOutcome, Violation
from engine.models.rehearsal import REHEARSAL_RULE

if TYPE_CHECKING:
    from textual.screen import Screen

MAX_RECORDERS = 200
"""For how many submissions the console remembers what was displayed."""


class SubmissionReader:
    """The submission that a screen displays, and the record of what was displayed of it."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self.case: Case | None = None
        self.recorder: ReviewRecorder | None = None
        self.revisions = LoadedRevisions(screen)
        self._recorders: dict[str, ReviewRecorder] = {}
        self._recorded_at = 0.0
        self._places: dict[str, tuple[int, float]] = {}
        """The violation that was selected, and how far the code was scrolled, when another was opened."""

    def open(self, case: Case | None) -> ReviewRecorder | None:
        """Read another submission; what was recorded of it before is kept."""
        self._keep_place()
        self.case = case
        self._recorded_at = asyncio.get_running_loop().time()
        self.recorder = self._recorder_of(case) if case is not None else None
        if self.recorder is not None and (revision := self.revisions.find(case)) is not None:
            self.recorder.carry(revision.carried)
        return self.recorder

    def _keep_place(self) -> None:
        if self.case is None:
            return
        top = self._screen.query_one(CodeView).scroll_offset.y
        self._places[self.case.submission.id] = (self._screen.query_one(ViolationList).cursor, top)
        if len(self._places) > MAX_RECORDERS:
            self._places.pop(next(iter(self._places)))

    def show_place(self) -> None:
        """Go to where the reviewer was in this submission; the first time, to its gravest violation."""
        if self.case is None:
            return
        known = self._places.get(self.case.submission.id)
        if self.case.analysis.violations:
            self.go_to_violation(known[0] if known else gravest(self.case.analysis.violations))
        view = self._screen.query_one(CodeView)
        if known:
            view.scroll_to(y=known[1], animate=False)
        else:
            self._screen.call_after_refresh(view.show_current)

    def _recorder_of(self, case: Case) -> ReviewRecorder:
        known = self._recorders.pop(case.submission.id, None)
        recorder = known if known and known.case.submission == case.submission else ReviewRecorder(case)
        recorder.update(case)
        self._recorders[case.submission.id] = recorder
        if len(self._recorders) > MAX_RECORDERS:
            self._recorders.pop(next(iter(self._recorders)))
        return recorder

    def record(self) -> None:
        """Record what is displayed now."""
        now = asyncio.get_running_loop().time()
        since, self._recorded_at = now - self._recorded_at, now
        if self.recorder is None or self._screen.app.screen is not self._screen:
            return
        view, rows = self._screen.query_one(CodeView), self._screen.query_one(ViolationList)
        view.look()
        self.recorder.seconds += since
        self.recorder.add_times(view.take_seconds())
        self.recorder.lines |= view.seen_lines
        self.recorder.violations |= rows.on_screen
        if self._screen.query_one(ViolationDetail).display and self.recorder.case.analysis.violations:
            self.recorder.violations.add(rows.cursor)
        self.recorder.purpose |= (
            self._screen.query_one(CaseHeader).purpose_visible
            or self._screen.query_one(RequestPanel).purpose_visible
        )

    def next_unread(self) -> None:
        """Go to what was not displayed yet: code first, then violations, input files and the purpose."""
        self.record()
        if self.recorder is None:
            return
        gaps = self.recorder.coverage_gaps
        if gaps.lines:
            self._show_unread_code()
        elif numbers := gaps.violations or gaps.untriaged:
            self.go_to_violation(numbers[0])
        elif gaps.files:
            self.open_files(gaps.files[0])
        elif gaps.purpose:
            self._show_purpose()

    def show_unread(self, part: UnreadPart | None) -> None:
        """Go to a part of the list of what is unread."""
        if part is None:
            return
        match part.kind:
            case UnreadKind.LINES:
                view = self._screen.query_one(CodeView)
                view.wrapped = True
                view.go_to(part.at, top=True)
            case UnreadKind.VIOLATION | UnreadKind.UNRESOLVED:
                self.go_to_violation(part.at)
            case UnreadKind.FILE:
                self.open_files(part.at)
            case UnreadKind.PURPOSE:
                self._show_purpose()

    def _show_unread_code(self) -> None:
        view = self._screen.query_one(CodeView)
        view.wrapped = True
        if not view.read_on():
            view.unfold()
            view.read_on()

    def _show_purpose(self) -> None:
        panel = self._screen.query_one(RequestPanel)
        if panel.region:
            panel.scroll_page_down(animate=False)
        else:
            self._screen.remove_class("-zoom")
            self._screen.add_class("-request")

    # --- violations ---------------------------------------------------------------------------------

    async def triage(self, outcome: str) -> None:
        """Record the outcome of the selected violation, and go to the next one without an outcome."""
        recorder, number = self.recorder, self._screen.query_one(ViolationList).cursor
        person = await console_app(self._screen).key_guard.pressed_by_person()
        if recorder is None or not person or recorder is not self.recorder:
            return
        if not recorder.needs_triage(number):
            self._screen.notify("Only HIGH and CRITICAL violations are resolved. Press n for the next one.")
            return
        recorder.outcomes[number] = TriageOutcome(outcome)
        recorder.violations.add(number)
        self._screen.query_one(ViolationList).refresh()
        following = recorder.next_untriaged(number)
        self.go_to_violation(number if following is None else following)

    def go_to_violation(self, number: int) -> None:
        """Select a violation in the list, and show it."""
        self._screen.query_one(ViolationList).cursor = number
        self.show_violation(number)

    @property
    def selected_line(self) -> int | None:
        """The line of the selected violation."""
        number = self._screen.query_one(ViolationList).cursor
        violations = self.case.analysis.violations if self.case else ()
        return violations[number].span.line if number < len(violations) else None

    def step_violation(self, step: int) -> None:
        """Go to the next or previous violation."""
        rows = self._screen.query_one(ViolationList)
        if rows.count:
            self.go_to_violation((rows.cursor + step) % rows.count)

    def show_violation(self, number: int) -> None:
        """Show a violation in the code and in detail."""
        if self.case is not None and number < len(self.case.analysis.violations):
            self._screen.query_one(CodeView).current = number
            outcome = self.recorder.outcomes.get(number) if self.recorder else None
            detail = self._screen.query_one(ViolationDetail)
            detail.show(self.case.analysis.violations[number], outcome)

    # --- input files and comparison -----------------------------------------------------------------

    def open_files(self, at: int = 0) -> None:
        """Open the input files at one of them."""
        from console.review.input_files import FilesScreen  # noqa: PLC0415  on its first use

        if self.case is None or not self.case.submission.draft.files:
            return
        read = self.recorder.file_reading if self.recorder is not None else FileReading()
        self._screen.app.push_screen(FilesScreen(self.case.submission.draft.files, at, read))

    async def compare(self) -> None:
        """Show the difference to the submission that it revises, else to the most similar approved one."""
        from console.review.changes.revision_screen import RevisionScreen  # noqa: PLC0415  on its first use
        from console.review.compare import CompareScreen  # noqa: PLC0415  on its first use

        if (case := self.case) is None:
            return
        if (revision := self.revisions.find(case)) is not None:
            await self._screen.app.push_screen(RevisionScreen(case, revision))
            return
        call = console_app(self._screen).connection.call
        nearest = await call(lambda client: client.similar(case.submission.id))
        if nearest is None:
            self._screen.notify("No approved submission is similar to this one.")
        elif self._screen.app.screen is self._screen:
            await self._screen.app.push_screen(CompareScreen(case, nearest))


def gravest(violations: tuple[Violation, ...]) -> int:
    """Return the index of the gravest violation; of equally grave ones what was proven, then the first."""
    return max(range(len(violations)), key=lambda index: _gravity(violations[index]))


def newly_proven(known: Case | None, case: Case) -> int | None:
    """Return the index of the first violation that a rehearsal has added to a known submission."""
    if known is None or known.submission.id != case.submission.id:
        return None
    added = range(len(known.analysis.violations), len(case.analysis.violations))
    return next((index for index in added if case.analysis.violations[index].rule == REHEARSAL_RULE), None)


def _gravity(violation: Violation) -> tuple[int, bool]:
    return violation.severity.rank, violation.rule == REHEARSAL_RULE
