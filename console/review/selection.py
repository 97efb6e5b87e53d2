"""The submission that is selected in the queue: loaded from the engine, and shown on the screen."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from console.app.state import console_app
from console.app.workers import run_in_background
from console.code_view.view import CodeView
from console.review.answer.panel import AnswerPanel
from console.review.case_header import CaseHeader
from console.review.changes.revision import changed_lines
from console.review.queue.known_cases import KnownCases
from console.review.queue.listing import QueueList
from console.review.reader import newly_proven
from console.review.rehearsal.controller import RehearsalController
from console.review.requests import RequestPanel
from console.review.violations import ViolationDetail, ViolationList
from engine.common.errors import Problem
from engine.common.presentation import text_to_review
from engine.models import Analysis

if TYPE_CHECKING:
    from textual.screen import Screen

    from console.review.decision_actions import DecisionActions
    from console.review.reader import SubmissionReader
    from engine.models import Case, Event, Summary

REVIEW_EVENTS = frozenset(
    {
        "decision.first_approval",
        "claim.created",
        "claim.released",
        "submission.extended",
        "assignment.made",
        "assignment.removed",
    }
)
"""What another reviewer does about a submission that stays pending."""
REST_SECONDS = 0.3
"""After how long on a submission that was loaded in advance it is asked for again."""
LOOK_SECONDS = 4
"""How often it is said, and asked, who has the submission on screen."""
EXPIRY_EVENTS = frozenset({"decision.expired", "submission.revived"})
"""What changes the list of what expired."""


class SelectedSubmission:
    """Shows the submission under the cursor of the queue."""

    def __init__(self, screen: Screen[None], reader: SubmissionReader, decisions: DecisionActions) -> None:
        self._screen = screen
        self._reader = reader
        self._decisions = decisions
        self.rehearsals = RehearsalController(screen, reader, self._load)
        self._ticks = 0
        self._cases = KnownCases()

    def queue_changed(self, queue: tuple[Summary, ...]) -> None:
        """Show the queue without what was decided here, and the submission under its cursor."""
        rows, app = self._screen.query_one(QueueList), console_app(self._screen)
        decided = app.decisions.is_decided if app.decisions is not None else lambda id: False
        rows.show(tuple(each for each in queue if not decided(each.id)), app.queue_entries)
        self.select(rows.chosen)

    def select(self, summary: Summary | None) -> None:
        """Show a submission, or that there is none."""
        case = self._reader.case
        if summary is None:
            self._show(None, None)
        elif case is None or summary.id != case.submission.id:
            if (known := self._cases.find(summary.id)) is None:
                self._load()
            else:
                self._show(known, summary)
                self._screen.call_after_refresh(partial(self._rest_on, summary))

    def on_event(self, event: Event) -> None:
        """Load the submission again when another reviewer did something about it."""
        self._cases.note(event.type, event.subject)
        if event.type in EXPIRY_EVENTS:
            self.load_expired()
        self.rehearsals.on_event(event)
        case = self._reader.case
        if case is not None and event.subject == case.submission.id and event.type in REVIEW_EVENTS:
            self._load()

    def connected(self, state: str) -> None:
        """Forget what was loaded before the connection was lost; load what expired once there is one."""
        self._cases.clear()
        if state == "connected":
            self.load_expired()

    def load_expired(self) -> None:
        """Say in the list how many submissions expired before anybody decided."""
        run_in_background(self._screen, self._count_expired, "expired")

    async def _count_expired(self) -> None:
        try:
            found = await console_app(self._screen).connection.client.reviews.expired()
        except Problem:
            return
        self._screen.query_one(QueueList).show_expired(len(found))

    def update(self, case: Case) -> None:
        """Show what changed about a submission, if it is the one on screen still."""
        if self._reader.case is None or self._reader.case.submission.id != case.submission.id:
            return
        self._reader.case = case
        self._screen.query_one(CaseHeader).show(case, self._decisions.summary)
        self._screen.query_one(RequestPanel).show(case)

    def tick(self) -> None:
        """Say, and ask, now and then who has the submission on screen; to be called each second."""
        self._ticks += 1
        if self._ticks % LOOK_SECONDS == 0:
            self._look()

    def freshen(self) -> None:
        """Update the time that is left, and that of a rehearsal."""
        self._screen.query_one(QueueList).freshen()
        self._screen.query_one(CaseHeader).freshen()
        self.rehearsals.tick()

    def _look(self) -> None:
        if (case := self._reader.case) is not None:
            run_in_background(self._screen, partial(self._looked, case.submission.id), "presence")

    async def _looked(self, id: str) -> None:
        """Show who else has the submission on screen; an engine that does not answer says nobody."""
        try:
            names = await console_app(self._screen).connection.client.reviews.look(id)
        except Problem:
            names = ()
        case = self._reader.case
        if case is not None and case.submission.id == id:
            self._screen.query_one(CaseHeader).show_present(names)

    def _load(self) -> None:
        """Load the submission under the cursor, which may not be the one on screen yet."""
        if (chosen := self._screen.query_one(QueueList).chosen) is not None:
            run_in_background(self._screen, partial(self._loaded, chosen), "case")

    def _rest_on(self, summary: Summary) -> None:
        if self._screen.query_one(QueueList).is_chosen(summary.id):
            run_in_background(self._screen, partial(self._rested, summary), "case")

    async def _rested(self, summary: Summary) -> None:
        """Load what comes next; if the reviewer stays here, ask whether anything changed."""
        await self._load_ahead()
        await asyncio.sleep(REST_SECONDS)
        await self._loaded(summary)

    async def _case(self, id: str) -> Case | None:
        """Load a case and what it revises."""
        since = self._cases.moment
        case = await console_app(self._screen).connection.call(lambda client: client.case(id))
        if case is not None:
            await self._reader.revisions.load(case)
            self._cases.keep(case, since)
        return case

    async def _loaded(self, summary: Summary) -> None:
        case = await self._case(summary.id)
        if case is None or not self._screen.query_one(QueueList).is_chosen(summary.id):
            return
        known = self._reader.case
        if known == case:
            self._decisions.summary = summary
        elif known and (known.submission, known.analysis) == (case.submission, case.analysis):
            self._decisions.summary = summary
            self.update(case)
        else:
            self._show(case, summary)
            if (proof := newly_proven(known, case)) is not None:
                self._reader.go_to_violation(proof)
        await self._load_ahead()

    async def _load_ahead(self) -> None:
        for each in self._screen.query_one(QueueList).beside:
            if each.id not in self._cases and await self._case(each.id) is not None:
                await self.rehearsals.load_ahead(each.id)

    def _show(self, case: Case | None, summary: Summary | None) -> None:
        screen = self._screen
        self._decisions.summary = summary
        recorder, revision = self._reader.open(case), self._reader.revisions.find(case)
        screen.set_class(case is None, "-empty")
        screen.query_one(CaseHeader).show(case, summary)
        screen.query_one(AnswerPanel).show(case, revision)
        if case is not None:
            self.rehearsals.load(case.submission.id)
        screen.query_one(RequestPanel).show(case)
        violations = case.analysis.violations if case else ()
        screen.query_one(ViolationList).show(violations, recorder.outcomes if recorder else {})
        screen.query_one(ViolationList).show_verdict(case.analysis if case else Analysis())
        screen.query_one(ViolationDetail).show(None)
        if case is not None and recorder is not None:
            draft = case.submission.draft
            view = screen.query_one(CodeView)
            view.row_seconds = console_app(screen).preferences.reading_seconds
            places = [each.span for each in case.analysis.unproven]
            view.show(text_to_review(draft), draft.language, violations, recorder.lines, places)
            view.mark_changed(changed_lines(revision) if revision else ())
        self._reader.show_place()
        screen.set_class(case is not None and not violations, "-clean")
        self._decisions.reset()
        screen.refresh_bindings()
