"""Rescans: started, stopped, resumed after a restart, and recorded."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from functools import partial

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.common.text import visible
from engine.core.config.policy_store import PolicyStore
from engine.core.history.event_bus import EventBus
from engine.core.rescans.rescanner import Rescanned, Rescanner
from engine.core.response.blocks import require_responder
from engine.models import Event, Principal
from engine.models.rescan import Rescan, RescanOutcome, RescanRequest, RescanState

SUBJECT = "rescans"
RECORD_SECONDS = 10.0
"""How often progress is recorded: after a restart it goes on from there."""


class Rescans:
    """Rescans stored code, one rescan at a time."""

    def __init__(
        self, events: EventBus, policy: PolicyStore, rescanner: Rescanner, supervisor: Supervisor
    ) -> None:
        self._events = events
        self._policy = policy
        self._rescanner = rescanner
        self._supervisor = supervisor
        self._known: dict[str, Rescan] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Read from the history which there were, and go on with one that was not over."""
        async for event in self._events.recorded(SUBJECT):
            self._replay(event)
        for rescan in self._known.values():
            if rescan.state is RescanState.RUNNING:
                self._begin(rescan.id)

    def listed(self) -> tuple[Rescan, ...]:
        """Return all rescans, the newest first."""
        return tuple(reversed(self._known.values()))

    async def begin(self, request: RescanRequest, by: Principal) -> Rescan:
        """Start a rescan.

        Raises:
            Problem: the principal may not, or one goes on.
            QueryError: it is not a valid query.
        """
        require_responder(by)
        if going := self._going():
            hint = f"Type: pratique rescan stop {going.id}"
            raise Problem(409, f"the rescan {going.id} goes on", hint=hint)
        now = datetime.now(UTC)
        rescan = Rescan(
            id=f"x-{secrets.token_hex(4)}",
            request=request,
            by=by.name,
            at=now,
            policy=self._policy.current.hash,
            total=await self._events.log.read.total(request.query),
        )
        await self._record("rescan.started", rescan, by)
        self._begin(rescan.id)
        return rescan

    async def stop(self, id: str, by: Principal) -> Rescan:
        """Stop a rescan. What it found stays.

        Raises:
            Problem: the principal may not, or it does not go on.
        """
        require_responder(by)
        known = self._known.get(id)
        if known is None or known.state is not RescanState.RUNNING:
            raise Problem(404, f"no rescan {visible(id)} goes on", hint="Type: pratique rescan list")
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({self._task}, timeout=RECORD_SECONDS)
        stopped = self._known[id].ended(RescanState.STOPPED)
        await self._record("rescan.ended", stopped, by)
        return stopped

    def _going(self) -> Rescan | None:
        return next((one for one in self._known.values() if one.state is RescanState.RUNNING), None)

    def _begin(self, id: str) -> None:
        self._task = self._supervisor.start("rescan", partial(self._run, id))

    async def _run(self, id: str) -> None:
        """Rescan from where it was until its end; what was found since the last record is found again."""
        rescan = self._known[id]
        request, recorded = rescan.request, time.monotonic()
        async with aclosing(self._rescanner.rescan(_until(rescan), rescan.last, request.share)) as found:
            async for one in found:
                await self._found(id, one)
                self._known[id] = self._known[id].counting(one.id, one.outcome)
                if time.monotonic() - recorded > RECORD_SECONDS:
                    await self._record("rescan.progressed", self._known[id])
                    recorded = time.monotonic()
        finished = self._known[id].ended(RescanState.FINISHED)
        await self._record("rescan.ended", finished)

    async def _found(self, rescan: str, one: Rescanned) -> None:
        """Record what is said of a submission where it differs, or where an earlier rescan said otherwise."""
        if one.outcome is None or (one.outcome is RescanOutcome.SAME and not one.known):
            return
        data = {
            "rescan": rescan,
            "outcome": one.outcome.value,
            "risk": one.risk.value,
            "was": one.was.value,
            "rules": list(one.new_rules),
        }
        await self._events.record("submission.rescanned", one.id, data=data, durable=False)

    async def _record(self, type: str, rescan: Rescan, by: Principal | None = None) -> None:
        data = {"rescan": rescan.id, "progress": rescan.model_dump(mode="json")}
        if by is None:
            await self._events.record(type, SUBJECT, data=data)
        else:
            await self._events.record(type, SUBJECT, by.name, data=data)
        self._known[rescan.id] = rescan

    def _replay(self, event: Event) -> None:
        self._known[str(event.data["rescan"])] = Rescan.model_validate(event.data["progress"])


def _until(rescan: Rescan) -> str:
    """Return the query of a rescan: nothing that was submitted after the second in which it began."""
    began = f"until:{rescan.at + timedelta(seconds=1):%Y-%m-%dT%H:%M:%S}"
    return f"({rescan.request.query}) {began}" if rescan.request.query else began
