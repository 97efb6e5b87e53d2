"""Starts, stops and follows rehearsals from Review. Results belong to a submission, not to the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from console.app.state import console_app
from console.app.workers import run_in_background
from console.review.answer.panel import AnswerPanel
from console.review.rehearsal.known import KnownRehearsals
from engine.common.errors import Problem
from engine.common.rehearsal_lines import verdict_line
from engine.models import Case, Event, Status
from engine.models.rehearsal import Rehearsal

if TYPE_CHECKING:
    from textual.screen import Screen

    from console.review.reader import SubmissionReader

STARTED, ENDED = "rehearsal.started", "rehearsal.ended"
_GROUP = "rehearsal"


class RehearsalController:
    """Knows the rehearsal of each submission, and shows that of the displayed one."""

    def __init__(self, screen: Screen[None], reader: SubmissionReader, reload: Callable[[], None]) -> None:
        self._screen = screen
        self._reader = reader
        self._reload = reload
        self.known = KnownRehearsals()

    @property
    def now(self) -> float:
        """The time of the clock that rehearsals are followed with."""
        return asyncio.get_running_loop().time()

    def open(self) -> None:
        """Ask whether to rehearse the displayed submission, or show what a rehearsal found."""
        from console.review.rehearsal.sheet import RehearsalScreen  # noqa: PLC0415  on its first use

        if (case := self._reader.case) is None:
            return
        known = self.known.of(case.submission.id)
        obstacle = self.obstacle(case)
        if obstacle and known.found is None and known.began is None:
            self._screen.notify(f"It cannot be rehearsed: {obstacle}", severity="warning")
        else:
            self._screen.app.push_screen(RehearsalScreen(case, self))

    def obstacle(self, case: Case) -> str:
        """Return why a submission cannot be rehearsed, or nothing."""
        app, draft = console_app(self._screen), case.submission.draft
        pending = {each.id for each in app.queue if each.status is Status.PENDING}
        if case.submission.id not in pending:
            return "it is no longer pending"
        if draft.operation is not None or draft.session:
            return "it belongs to a session, whose state a rehearsal does not have"
        if app.health is not None and not app.health.can_run:
            return "isolation is not proven, so nothing can run (4 Health)"
        return "" if app.connection_state == "connected" else "the engine is offline"

    def start(self, id: str, *, withhold: bool) -> None:
        """Rehearse a submission in the background."""
        self.known.begin(id, self.now)
        self._show(id)
        run_in_background(self._screen, partial(self._rehearse, id, withhold), _GROUP, exclusive=False)

    def stop(self, id: str) -> None:
        """Stop the rehearsal of a submission."""
        run_in_background(self._screen, partial(self._stop, id), _GROUP, exclusive=False)

    def load(self, id: str) -> None:
        """Ask for the last rehearsal of a submission that nothing is known of."""
        if id not in self.known:
            run_in_background(self._screen, partial(self._load, id), _GROUP, exclusive=False)
        self._show(id)

    async def load_ahead(self, id: str) -> None:
        """Ask for the last rehearsal of a submission that comes next, where nothing is known of it."""
        if id not in self.known:
            await self._load(id)

    def on_event(self, event: Event) -> None:
        """Follow rehearsals that others started, and what the policy starts by itself."""
        if event.type == STARTED:
            self.known.begin(event.subject, self.now)
            self._show(event.subject)
        elif event.type == ENDED:
            run_in_background(self._screen, partial(self._load, event.subject), _GROUP, exclusive=False)

    def tick(self) -> None:
        """Show how long the displayed one has been going on, and ask about one that is overdue."""
        case = self._reader.case
        if case is None or self.known.of(case.submission.id).began is None:
            return
        if self.known.lost(case.submission.id, self.now):
            self.known.end(case.submission.id, None)
            run_in_background(self._screen, partial(self._load, case.submission.id), _GROUP, exclusive=False)
        self._show(case.submission.id)

    async def _rehearse(self, id: str, withhold: bool) -> None:
        try:
            client = console_app(self._screen).connection.client
            found = await client.reviews.rehearse(id, withhold_files=withhold)
        except Problem as problem:
            self.known.refuse(id, str(problem))
            self._screen.notify(str(problem), title=f"No rehearsal of {id}", severity="warning")
            self._show(id)
        else:
            self._ended(id, found)

    async def _stop(self, id: str) -> None:
        await console_app(self._screen).connection.call(lambda client: client.reviews.stop_rehearsal(id))

    async def _load(self, id: str) -> None:
        try:
            found = await console_app(self._screen).connection.client.reviews.rehearsal(id)
        except Problem:
            if self.known.of(id).began is None:
                self.known.end(id, None)
        else:
            self._ended(id, found)

    def _ended(self, id: str, found: Rehearsal) -> None:
        before = self.known.of(id)
        if before.found == found and before.began is None:
            return
        self.known.end(id, found)
        self._show(id)
        if before.began is None:
            return
        if self._is_displayed(id):
            self._reload()
        else:
            grave = "error" if found.convicted else "information"
            self._screen.notify(verdict_line(found), title=f"Rehearsal of {id}", severity=grave)  # type: ignore[arg-type]

    def _is_displayed(self, id: str) -> bool:
        return self._reader.case is not None and self._reader.case.submission.id == id

    def _show(self, id: str) -> None:
        if self._is_displayed(id):
            self._screen.query_one(AnswerPanel).show_rehearsal(self.known.of(id), self.now)
