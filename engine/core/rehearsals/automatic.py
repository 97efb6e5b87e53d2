"""Rehearses by itself what the policy wants rehearsed."""

from __future__ import annotations

import contextlib
from functools import partial

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.core.config.policy_store import PolicyStore
from engine.core.queue import WorkQueue
from engine.core.rehearsals.service import Rehearsals
from engine.core.review.pre_approvals import POLICY
from engine.models import Event, Status


class AutomaticRehearsals:
    """Starts a rehearsal for each submission of the risk that the policy names."""

    def __init__(
        self, rehearsals: Rehearsals, policy: PolicyStore, queue: WorkQueue, supervisor: Supervisor
    ) -> None:
        self._rehearsals = rehearsals
        self._policy = policy
        self._queue = queue
        self._supervisor = supervisor

    def on_event(self, event: Event) -> None:
        """Rehearse what has just come in, in the background."""
        always = self._policy.current.rehearse_always_for
        entry = self._queue.find(event.subject) if event.type == "submission.assessed" else None
        if always is None or entry is None or entry.case.status is not Status.PENDING:
            return
        if entry.case.assessment.risk.rank >= always.rank:
            self._supervisor.start("rehearsals", partial(self._rehearse, entry.id))

    async def _rehearse(self, id: str) -> None:
        """Rehearse a submission; why it could not be is recorded with it."""
        with contextlib.suppress(Problem):
            await self._rehearsals.rehearse(id, POLICY)
