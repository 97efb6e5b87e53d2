"""Hands approved runs over: what has no place here is offered to all engines, and one with a place claims it.

One loop makes the offers and the claims of this engine, one after the other. What another engine claimed
cannot start here: the start is recorded only behind the last record that the engine knows of the submission.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from engine.core.engines.movable import Movable, in_turn
from engine.core.engines.wake_loop import look_when_woken
from engine.core.queue import ActiveSubmission, WorkQueue
from engine.core.runs.service import Runs
from engine.history.api import Engines
from engine.models import Status

PAUSE_SECONDS = 0.05
"""Between two looks at what is offered."""
OFFERED = timedelta(hours=1)
"""A run that no engine started so long after its approval is closed."""
TOO_LATE = "no engine started it within an hour of its approval"


class HandOver:
    """Offers what this engine has no place for, and claims what any engine offers."""

    def __init__(self, engines: Engines, queue: WorkQueue, runs: Runs, movable: Movable) -> None:
        self._engines = engines
        self._queue = queue
        self._runs = runs
        self._movable = movable
        self._leaving: dict[str, None] = {}
        """What is to be offered, or given back, in order."""
        self._woken = asyncio.Event()

    def offer(self, entry: ActiveSubmission) -> bool:
        """Offer a run for which there is no place here; return whether it is offered.

        It is not where it needs what this engine alone has.
        """
        if self._has_place or self._movable.stays(entry.case):
            return False
        entry.is_offered = True
        self._leaving[entry.id] = None
        self.wake()
        return True

    async def give_up(self, entry: ActiveSubmission) -> bool:
        """Offer a run that has not started here, and never will; return whether it is offered.

        Raises:
            HistoryError: it is not known whether it is.
        """
        if self._movable.stays(entry.case):
            return False
        await self._engines.offer(entry.id)
        return True

    @property
    def _has_place(self) -> bool:
        """Whether a run starts at once: nothing that was approved here waits for the place."""
        return self._runs.free_places > 0 and not any(entry.is_offered for entry in self._waiting())

    def wake(self) -> None:
        """Look soon whether a run is offered, and whether there is a place for it."""
        self._woken.set()

    async def run(self) -> None:
        """Offer and claim, until cancelled; what fails is tried again."""
        await look_when_woken(self._woken, self.look, PAUSE_SECONDS)

    async def look(self) -> None:
        """Offer what is to be offered, and claim as much as there are places for. Raises HistoryError."""
        await self.offer_all()
        if not self._runs.free_places or not (waiting := self._waiting()):
            return
        offered = frozenset(await self._engines.offered())
        await self._claim(await self._chosen([entry for entry in waiting if entry.id in offered]))

    async def offer_all(self) -> None:
        """Offer what is to be offered, or given back. Raises HistoryError."""
        for id in tuple(self._leaving):
            await self._engines.offer(id)
            del self._leaving[id]

    def _waiting(self) -> list[ActiveSubmission]:
        return [each for each in self._queue if self._is_waiting(each)]

    def _is_waiting(self, entry: ActiveSubmission) -> bool:
        is_open = self._queue.find(entry.id) is entry
        return is_open and entry.case.status is Status.QUEUED and not entry.is_here

    async def _chosen(self, entries: list[ActiveSubmission]) -> list[ActiveSubmission]:
        """Return the first for which there are places here, and that this engine may take."""
        chosen: list[ActiveSubmission] = []
        for entry in in_turn(entries):
            if len(chosen) >= self._runs.free_places:
                break
            if self._is_late(entry) or await self._may_run(entry):
                chosen.append(entry)
        return chosen

    async def _may_run(self, entry: ActiveSubmission) -> bool:
        return entry.is_offered or await self._movable.may_come(entry.case)

    async def _claim(self, entries: list[ActiveSubmission]) -> None:
        """Claim runs and start them; what does not start, or may be claimed after an error, is given back."""
        ids = [entry.id for entry in entries]
        self._leaving.update(dict.fromkeys(ids))
        claimed = frozenset(await self._engines.claim(ids)) if ids else frozenset()
        for entry in entries:
            if entry.id in claimed and self._is_waiting(entry) and not self._runs.is_ending:
                await self._start(entry)
            if entry.id not in claimed or not self._runs.is_ending:
                del self._leaving[entry.id]

    async def _start(self, entry: ActiveSubmission) -> None:
        if self._is_late(entry):
            entry.is_offered = False
            await self._runs.close_interrupted(entry, TOO_LATE)
        else:
            self._runs.run_here(entry)

    @staticmethod
    def _is_late(entry: ActiveSubmission) -> bool:
        decision = entry.case.decision
        return decision is not None and datetime.now(UTC) - decision.at > OFFERED
