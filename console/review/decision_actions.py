"""Deciding about the submission that is displayed: what prevents an approval, approve, deny, claim."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content

from console.app.state import console_app
from console.app.textual_patches import set_border_title
from console.code_view.view import CodeView
from console.review.case_header import CaseHeader
from console.review.decisions import PendingDecision
from console.review.display_delay import DisplayDelay
from console.review.queue.listing import QueueList
from console.review.queue.marked import approve_marked, claim_marked, deny_marked
from console.review.queue.times import is_overdue, seconds_left
from console.review.review_record import unread_parts
from console.safety.text import Part, content
from console.widgets.formatting import clock, now
from engine.models import Case, ReviewRecord, Status, Summary

if TYPE_CHECKING:
    from textual.screen import Screen

    from console.review.reader import SubmissionReader

LOADING = "The submission under the cursor is being loaded"


class DecisionActions:
    """Approves, denies and claims the submission of a reader."""

    def __init__(self, screen: Screen[None], reader: SubmissionReader) -> None:
        self._screen = screen
        self._reader = reader
        self.summary: Summary | None = None
        self._delay = DisplayDelay()
        self._claimed: set[str] = set()
        self._listed = ""

    # --- what prevents an approval ------------------------------------------------------------------

    def obstacle(self) -> str:
        """Return why the submission cannot be approved yet, or nothing."""
        case, health = self._reader.case, console_app(self._screen).health
        if self._is_loading():
            return LOADING
        if case is None or case.status is not Status.PENDING:
            return "nothing to decide"
        if self.summary is not None and is_overdue(self.summary):
            return "expired: b lists it, and r there lets it wait again"
        if health is not None and not health.can_run:
            return "isolation not proven: nothing can run (4 Health)"
        return self._reading_obstacle() or ("" if self._delay.over else "wait…")

    def _is_loading(self) -> bool:
        """Whether the cursor has left the submission on screen, and the next one is not there yet."""
        case, rows = self._reader.case, self._screen.query_one(QueueList)
        return case is not None and rows.chosen is not None and not rows.is_chosen(case.submission.id)

    def _reading_obstacle(self) -> str:
        if self._screen.query_one(CodeView).cut:
            return "lines are cut off: press w to wrap"
        if self._reader.recorder is None or self._reader.recorder.coverage_gaps:
            return "not fully reviewed"
        return ""

    @property
    def unread(self) -> Content:
        """What has to be reviewed before the submission can be approved; empty where nothing has."""
        recorder = self._reader.recorder
        if recorder is None:
            return content()
        left = self._screen.query_one(CodeView).seconds_left if recorder.coverage_gaps.lines else 0.0
        wait: list[Part] = [(f"  this page: {left:.1f} s", "muted")] if left > 0.05 else []
        return content(*unread_parts(recorder.coverage_gaps, recorder.case), *wait)

    def reset(self) -> None:
        """Begin to count anew how long the submission is displayed."""
        self._delay.restart()
        self.update()

    def update(self) -> None:
        """Record what is displayed, and show whether the submission can be approved now."""
        self._reader.record()
        obstacle = self.obstacle()
        state: tuple[Part, ...] = (
            ((obstacle, "warning"),) if obstacle else (("ctrl+y approve  ", "success"), ("d deny", "muted"))
        )
        self._screen.query_one(CaseHeader).show_state(*state)
        if (unread := self.unread).plain != self._listed:
            self._listed = unread.plain
            set_border_title(self._screen.query_one("#middle"), unread, below=True)

    # --- decisions ----------------------------------------------------------------------------------

    async def approve(self) -> None:
        """Ask for confirmation, then approve what was displayed."""
        if not await console_app(self._screen).key_guard.pressed_by_person():
            return
        if obstacle := self.obstacle():
            reason = obstacle if obstacle == LOADING else self.unread.plain or obstacle
            self._screen.notify(f"Not yet. {reason}", severity="warning")
            return
        from console.review.approve import ApproveScreen  # noqa: PLC0415  on its first use

        if (case := self._reader.case) is None or self._reader.recorder is None:
            return
        record = self._reader.recorder.record
        if self._screen.query_one(QueueList).marked:
            await approve_marked(self._screen, case, record)
        else:
            self._submit(await self._screen.app.push_screen_wait(ApproveScreen(case)), record)

    def _case_to_decide(self) -> Case | None:
        if self._is_loading():
            self._screen.notify(f"Not yet. {LOADING}", severity="warning")
            return None
        return self._reader.case

    async def deny(self) -> None:
        """Ask for a reason, then deny."""
        if not await console_app(self._screen).key_guard.pressed_by_person():
            return
        if self._screen.query_one(QueueList).marked:
            await deny_marked(self._screen)
            return
        if (case := self._case_to_decide()) is None:
            return
        from console.review.deny import DenyScreen  # noqa: PLC0415  on its first use

        record = self._reader.recorder.record if self._reader.recorder else None
        for decision in await self._screen.app.push_screen_wait(DenyScreen(case)) or ():
            self._submit(decision, record)

    async def request_changes(self) -> None:
        """Ask for comments, then send them to the agent."""
        if not await console_app(self._screen).key_guard.pressed_by_person():
            return
        if (case := self._case_to_decide()) is None:
            return
        from console.review.changes.sheet import ChangesScreen, DraftComments  # noqa: PLC0415  on its first use

        record = self._reader.recorder.record if self._reader.recorder else None
        draft = DraftComments.saved(case.submission.id)
        code = self._screen.query_one(CodeView)
        sheet = ChangesScreen(case, draft, self._reader.selected_line, code)
        self._screen.add_class("-commenting")
        made = await self._screen.app.push_screen_wait(sheet)
        self._screen.remove_class("-commenting")
        for decision in made or ():
            self._submit(decision, record)

    async def extend(self) -> Case | None:
        """Give the submission more time; return its case."""
        if (case := self._reader.case) is None or not await self._pressed_alone():
            return None
        id = case.submission.id
        extended = await console_app(self._screen).connection.call(lambda client: client.reviews.extend(id))
        if extended is not None and extended.deadline is not None:
            left = (extended.deadline - now()).total_seconds()
            self._screen.notify(f"{id} expires in {clock(left)}.")
        return extended

    async def claim(self) -> Case | None:
        """Claim the submission so that nobody else reviews it too, or release it; return its case."""
        if (case := self._reader.case) is None or not await self._pressed_alone():
            return None
        if self._screen.query_one(QueueList).marked:
            await claim_marked(self._screen)
            return None
        id, claimed = case.submission.id, case.submission.id in self._claimed
        changed = await console_app(self._screen).connection.call(
            lambda client: client.release(id) if claimed else client.claim(id)
        )
        if changed is not None:
            self._claimed ^= {id}
        return changed

    async def _pressed_alone(self) -> bool:
        """Say whether the key was pressed alone; text that is typed here by mistake records nothing."""
        alone = await console_app(self._screen).key_guard.pressed_alone()
        if not alone:
            self._screen.notify("Nothing was done: it takes a key that is pressed alone.", severity="warning")
        return alone

    def _submit(self, decision: PendingDecision | None, record: ReviewRecord | None) -> None:
        controller = console_app(self._screen).decisions
        if decision is not None and controller is not None:
            left = seconds_left(self.summary) if self.summary else None
            controller.submit((replace(decision, review_record=record),), left)
