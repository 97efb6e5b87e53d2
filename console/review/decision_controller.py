"""Sends the decisions of a reviewer to the engine, each after the time in which it can be undone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from console.app.workers import run_in_background
from console.review.decisions import (
    OUTPUT_FIRST_SECONDS,
    Batch,
    DecisionBuffer,
    PendingDecision,
    describe,
    is_approved,
    outcome_message,
    outcome_word,
)
from console.review.unsent import drafts
from console.review.unsent.journal import DecisionJournal
from console.review.unsent.recovery import left_behind
from engine.common.errors import Problem
from engine.common.text import many
from engine.models import DecisionOutcome, Status

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from engine.models import Case

FLUSH_SECONDS = 5.0
"""How long quitting waits for the engine to take the last decisions."""
RETRY_SECONDS = 0.5
TRIES = 6
"""How often a decision is sent to an engine that is connected but does not take it."""
OFFLINE = 503


class DecisionController:
    """Holds the decisions that can still be undone, sends them, and keeps what could not be sent."""

    def __init__(self, app: ConsoleApp, undo_seconds: float) -> None:
        self._app = app
        self._buffer = DecisionBuffer(self._send, undo_seconds)
        self._journal = DecisionJournal()
        self._unsent: dict[str, PendingDecision] = {}
        self._decided: set[str] = set()
        self._warned = False
        self._recovered = False
        self._sent_at = float("-inf")
        self.last_approved: Case | None = None
        self.on_undone: Callable[[str], None] = lambda id: None
        """Called with the first submission of what was undone."""
        self.on_approving: Callable[[str], None] = lambda id: None
        """Called with a submission when its approval is sent."""

    @property
    def held(self) -> Batch:
        """The decisions that can still be undone."""
        return self._buffer.held

    @property
    def waiting(self) -> Batch:
        """The decisions that can no longer be undone, and wait for the engine to come back."""
        if self._app.connection_state == "connected":
            return ()
        held = {each.case.submission.id for each in self.held}
        return tuple(each for id, each in self._unsent.items() if id not in held)

    @property
    def seconds_left(self) -> float:
        """Seconds until the held decisions are sent."""
        return self._buffer.seconds_left

    @property
    def seconds_since_sent(self) -> float:
        """Seconds since decisions were last sent, not undone."""
        return time.monotonic() - self._sent_at

    @property
    def undo_seconds(self) -> float:
        """For how long decisions can be undone."""
        return self._buffer.seconds

    @undo_seconds.setter
    def undo_seconds(self, seconds: float) -> None:
        self._buffer.seconds = seconds

    def is_decided(self, id: str) -> bool:
        """Say whether a submission was decided here, so that it need not be shown as pending."""
        return id in self._decided

    def submit(self, decisions: Batch, remaining: float | None) -> None:
        """Send decisions unless they are undone; `remaining` seconds are left to the first deadline.

        They are on disk before the time in which they can be undone begins.
        """
        self._keep(decisions)
        self._unsent |= {each.case.submission.id: each for each in decisions}
        self._decided |= {each.case.submission.id for each in decisions}
        work = partial(self._buffer.submit, decisions, remaining)
        run_in_background(self._app, work, "decision", exclusive=False)
        self._show_queue()

    def undo(self) -> None:
        """Drop the held decisions; their submissions are pending as before."""
        undone = self._buffer.undo()
        self._forget(*undone)
        for each in undone:
            self._pending_again(each)
        if undone:
            self._app.notify(f"Undone: {describe(undone)} pending again.")
            self.on_undone(undone[0].case.submission.id)

    def send_now(self) -> None:
        """Send the held decisions; they cannot be undone any more."""
        self._buffer.send_now()

    async def flush(self) -> bool:
        """Send what is held; return whether everything was sent, or the user was told and asks again."""
        self._buffer.send_now()
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                while self._unsent and self._app.connection_state == "connected":
                    await asyncio.sleep(0.01)
        if not self._unsent or self._warned:
            return True
        self._warned = True
        said = describe(tuple(self._unsent.values()))
        self._app.notify(
            f"The decision about {said} is not sent: the engine does not respond. "
            "Wait for the engine, or press ctrl+q again to quit: the next console asks about it.",
            severity="warning",
            timeout=10,
        )
        return False

    def connected(self) -> None:
        """Ask, the first time that the engine responds, about what an earlier console did not send."""
        if not self._recovered:
            self._recovered = True
            run_in_background(self._app, self._recover, "recover")

    async def _recover(self) -> None:
        from console.review.unsent.sheet import UnsentScreen  # noqa: PLC0415  on its first use

        if not (left := await left_behind(self._app, self._journal)):
            return
        match await self._app.push_screen_wait(UnsentScreen(left)):
            case True:
                self._buffer.send_now()
                self.submit(left, 0.0)
            case False:
                self._forget(*left)

    def close(self) -> None:
        """Leave what is not sent to the next console."""
        self._journal.close()

    def _keep(self, decisions: Batch) -> None:
        try:
            self._journal.keep(decisions)
        except OSError as error:
            message = f"The decision is not on disk until it is sent: {error.strerror}"
            self._app.notify(message, severity="warning")

    def _forget(self, *decisions: PendingDecision) -> None:
        with suppress(OSError):
            self._journal.drop(*(each.case.submission.id for each in decisions))

    async def _send(self, decisions: Batch) -> None:
        self._sent_at = time.monotonic()
        for each in decisions:
            case = await self._sent(each)
            self._forget(each)
            self._unsent.pop(each.case.submission.id, None)
            if case is None or case.status is Status.PENDING:
                self._pending_again(each)
            if case is not None:
                drafts.forget(case.submission.id)
            if case is not None and is_approved(case):
                self.last_approved = case
            if case is not None and (len(decisions) == 1 or case.status is Status.DRILL):
                self._tell(outcome_message(case, each.outcome))
        if len(decisions) > 1:
            done = [each for each in decisions if self.is_decided(each.case.submission.id)]
            self._tell(f"{many(len(done), 'submission')} {outcome_word(decisions[0].outcome)}")

    def _tell(self, words: str) -> None:
        """Say what became of decisions once the first output had its time."""
        self._app.set_timer(OUTPUT_FIRST_SECONDS, partial(self._app.notify, words, markup=False))

    async def _sent(self, decision: PendingDecision) -> Case | None:
        """Send a decision until the engine takes or refuses it; an engine that is offline is waited for."""
        for tries in range(TRIES):
            await self._connected()
            try:
                return await self._decide(decision)
            except Problem as problem:
                if problem.status != OFFLINE or tries == TRIES - 1:
                    return await self._refused(decision, problem, again=tries > 0)
            await asyncio.sleep(RETRY_SECONDS)
        return None

    async def _connected(self) -> None:
        while self._app.connection_state != "connected":
            await asyncio.sleep(RETRY_SECONDS)

    async def _decide(self, decision: PendingDecision) -> Case:
        submission = decision.case.submission
        if decision.outcome is DecisionOutcome.APPROVED:
            self.on_approving(submission.id)
        return await self._app.connection.client.decide(
            submission.id,
            decision.outcome,
            submission.digest,
            decision.reason,
            decision.grant,
            decision.review_record,
            decision.comments,
        )

    async def _refused(self, decision: PendingDecision, problem: Problem, *, again: bool) -> Case | None:
        """Return the case where an earlier try had reached the engine after all; else say what is wrong."""
        id = decision.case.submission.id
        if again:
            case = await self._app.connection.call(lambda client: client.case(id))
            if case and case.decision and case.decision.outcome is decision.outcome:
                return case
        self._app.notify(
            f"{id} was not {outcome_word(decision.outcome)}: {problem}", severity="error", timeout=10
        )
        return None

    def _pending_again(self, decision: PendingDecision) -> None:
        id = decision.case.submission.id
        self._unsent.pop(id, None)
        self._decided.discard(id)
        self._show_queue()

    def _show_queue(self) -> None:
        self._app.mutate_reactive(type(self._app).queue)
