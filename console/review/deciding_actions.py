"""Deciding about a submission on screen: what stands in the way, approving, denying, claiming."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from textual import work
from textual.content import Content

from console.app.state import console_app
from console.code_view.view import CodeView
from console.review.case_header import CaseHeader
from console.review.decisions import PendingDecision
from console.review.queue import seconds_left
from console.review.reading import Reading
from console.review.review_record import missing
from console.safety.text import Part, content
from console.widgets.repaint import set_border_title
from engine.models import Case, ReviewRecord, Status, Summary

ARM_SECONDS = 0.4
"""How long a submission is on screen before it can be approved."""


class Judging(Reading):
    """A place where the submission on screen is approved or denied. `renew` shows what became of it."""

    def __init__(self) -> None:
        super().__init__()
        self._summary: Summary | None = None
        self._since = 0.0
        self._held: set[str] = set()
        self._said = ""

    def renew(self, case: Case) -> None:
        """Show what became of the submission on screen."""
        raise NotImplementedError

    # --- what stands between a person and an approval -----------------------------------------------

    def obstacle(self) -> str:
        """Return why the submission cannot be approved yet, or nothing."""
        view, health = self.query_one(CodeView), console_app(self).health
        if self._case is None or self._case.status is not Status.PENDING:
            return "nothing to decide"
        if health is not None and not health.can_run:
            return "no proof of isolation: nothing can run (4 Health)"
        if view.cut:
            return "lines run past the edge: wrap with w"
        if self._recorder is None or self._recorder.coverage_gaps:
            return "not all was looked at"
        if asyncio.get_running_loop().time() - self._since < ARM_SECONDS:
            return "a moment"
        return ""

    def disarm(self) -> None:
        """Begin anew to count how long the submission is on screen."""
        self._since = asyncio.get_running_loop().time()
        self.arm()

    @property
    def still(self) -> Content:
        """What has to be looked at before the submission can be approved; empty where nothing has."""
        return (
            content(*missing(self._recorder.coverage_gaps, self._recorder.case))
            if self._recorder
            else content()
        )

    def arm(self) -> None:
        """Note what is on screen, and say whether it can be approved by now."""
        self.look()
        obstacle = self.obstacle()
        state: tuple[Part, ...] = (
            ((obstacle, "warning"),) if obstacle else (("ctrl+y approve  ", "success"), ("d deny", "muted"))
        )
        self.query_one(CaseHeader).say(*state)
        if (still := self.still).plain != self._said:
            self._said = still.plain
            set_border_title(self.query_one("#middle"), still, below=True)

    # --- decisions --------------------------------------------------------------------------------

    @work(exclusive=True, group="decide")
    async def action_approve(self) -> None:
        """Ask for the second key, then approve what was shown."""
        if not await console_app(self).key_guard.pressed_by_person():
            return
        if obstacle := self.obstacle():
            self.notify(f"Not yet. {self.still.plain or obstacle}", severity="warning")
            return
        from console.review.approve import ApproveScreen  # noqa: PLC0415  on its first use

        if self._case is not None and self._recorder is not None:
            review_record = self._recorder.record
            self._decided(await self.app.push_screen_wait(ApproveScreen(self._case)), review_record)

    @work(exclusive=True, group="decide")
    async def action_deny(self) -> None:
        """Ask for a reason, then deny."""
        if not await console_app(self).key_guard.pressed_by_person() or self._case is None:
            return
        from console.review.deny import DenyScreen  # noqa: PLC0415  on its first use

        review_record = self._recorder.record if self._recorder else None
        self._decided(await self.app.push_screen_wait(DenyScreen(self._case)), review_record)

    @work(exclusive=True, group="claim")
    async def action_claim(self) -> None:
        """Claim the submission that is shown, so that nobody else does the same work, or let go of it."""
        if (case := self._case) is None:
            return
        id, held = case.submission.id, case.submission.id in self._held
        claimed = await console_app(self).ask(lambda client: client.release(id) if held else client.claim(id))
        if claimed is not None:
            self._held ^= {id}
            self.renew(claimed)

    def _decided(self, decided: PendingDecision | None, review_record: ReviewRecord | None) -> None:
        if decided is not None:
            decided = replace(decided, review_record=review_record)
            left = seconds_left(self._summary) if self._summary else None
            console_app(self).decide(decided, left)
