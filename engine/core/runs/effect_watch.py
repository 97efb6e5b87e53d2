"""Compares what a run does with what was predicted and granted while it goes on, and acts on surprises."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.common.errors import Problem
from engine.common.text import Untrusted, many, visible
from engine.core.history.event_bus import EventBus
from engine.models import Case, KillReason, Permissions
from engine.models.observed import (
    EffectMatch,
    NetworkUse,
    Observation,
    ObservationStatus,
    ObservedEffect,
    SurpriseAction,
)
from engine.policy import Policy
from engine.policy.effects.comparison import attempt_surprises, surprises
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.permit import StartRequest
from engine.sandbox.api.run_events import EffectsObserved, NetworkAttempt, RunEvent, RunObserved

MOST_SURPRISES = 200
"""How many surprises of a run are recorded; more of them change nothing."""

_LOOK_SECONDS = 10.0


class EffectWatch:
    """Watches the effects of one run."""

    def __init__(self, case: Case, policy: Policy, sandboxes: Backend, events: EventBus) -> None:
        self._case = case
        self._policy = policy
        self._sandboxes = sandboxes
        self._events = events
        self._known: dict[int, ObservedEffect] = {}
        self._recorded = 0

    def check_start(self, request: StartRequest) -> None:
        """Refuse a start without observation where the policy requires it. Raises Problem."""
        if self._policy.observed_only and request.unobserved:
            raise Problem(
                409,
                f"{request.run}: the policy requires observed effects, and {request.unobserved}",
                hint="Run the engine as root with Docker on this machine, or set `observed: optional`.",
            )

    async def take(self, event: RunEvent) -> None:
        """Take an event that was recorded."""
        match event:
            case EffectsObserved():
                await self._effects(event.effects)
            case NetworkAttempt():
                use = NetworkUse(host=Untrusted(event.host), port=event.port, allowed=event.allowed)
                await self._surprised(attempt_surprises(self._case.analysis, self._granted, use))
            case RunObserved():
                await self._observed(event.observation)

    @property
    def _granted(self) -> Permissions:
        decision = self._case.decision
        return decision.grant.permissions if decision and decision.grant else Permissions()

    async def _effects(self, effects: Sequence[ObservedEffect]) -> None:
        fresh = [one for one in effects if one.number not in self._known]
        self._known.update({one.number: one for one in effects})
        known = tuple(self._known.values())
        await self._surprised(surprises(self._case.analysis, self._granted, fresh, known))

    async def _surprised(self, found: Sequence[EffectMatch]) -> None:
        """Record surprises, and do what the policy says about the gravest."""
        found = found[: max(0, MOST_SURPRISES - self._recorded)]
        severities = [one.severity for one in found if one.severity is not None]
        if not severities:
            return
        self._recorded += len(found)
        action = self._policy.surprise_action(max(severities, key=lambda level: level.rank))
        data = {
            "surprises": [one.model_dump(mode="json") for one in found],
            "action": action.value,
        }
        await self._events.record_surely("run.surprise", self._id, data=data)
        await self._act(action, f"{many(len(found), 'surprise')}: {visible(found[0].value)[:200]}")

    async def _observed(self, observation: Observation) -> None:
        """End a run that is not observed any more where the policy requires it."""
        if self._policy.observed_only and observation.status is not ObservationStatus.COMPLETE:
            await self._act(SurpriseAction.KILL, f"not fully observed: {', '.join(observation.reasons)}")

    async def _act(self, action: SurpriseAction, why: str) -> None:
        """Freeze or kill the run while it goes on; one that cannot be frozen is killed."""
        if action is SurpriseAction.RECORD or not self._sandboxes.is_running(self._id):
            return
        if action is SurpriseAction.FREEZE and await self._sandboxes.pause(self._id):
            await self._events.record_soon("run.pause", self._id, data={"why": why})
            await self._keep_snapshot()
            return
        await self._sandboxes.kill(self._id, f"the policy, {why}", KillReason.POLICY)

    async def _keep_snapshot(self) -> None:
        """Record what the paused run is doing; nothing where that is not known in time."""
        with contextlib.suppress(SandboxUnavailable, TimeoutError):
            async with asyncio.timeout(_LOOK_SECONDS):
                seen = await self._sandboxes.look(self._id)
            data = {"snapshot": seen.bounded.model_dump(mode="json")}
            await self._events.record_soon("run.snapshot", self._id, data=data)

    @property
    def _id(self) -> str:
        return self._case.submission.id
