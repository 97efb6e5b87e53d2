"""Compares what a run does with what was predicted and granted while it goes on, and acts on surprises."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core.history.event_bus import EventBus
from engine.models import Case, KillReason, Permissions, Result
from engine.models.observed import (
    EffectMatch,
    NetworkUse,
    Observation,
    ObservationStatus,
    ObservedEffect,
    SurpriseAction,
    SurpriseReport,
)
from engine.policy import Policy
from engine.policy.effects.comparison import attempt_surprises, surprises
from engine.policy.effects.for_agents import cause, for_agent
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.permit import StartRequest
from engine.sandbox.api.run_events import EffectsObserved, NetworkAttempt, RunEvent, RunObserved

MOST_SURPRISES = 200
"""How many surprises of one severity are recorded of a run; more of them change nothing."""

_LOOK_SECONDS = 10.0


class EffectWatch:
    """Watches the effects of one run."""

    def __init__(self, case: Case, policy: Policy, sandboxes: Backend, events: EventBus) -> None:
        self._case = case
        self._policy = policy
        self._sandboxes = sandboxes
        self._events = events
        self._known: dict[int, ObservedEffect] = {}
        self._surprises: list[EffectMatch] = []

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

    def completed(self, result: Result) -> Result:
        """Return the result with what the policy tells the agent of the surprises."""
        return result.with_surprises(for_agent(self._surprises, self._policy.surprises_for_agent))

    @property
    def _granted(self) -> Permissions:
        decision = self._case.decision
        return decision.grant.permissions if decision and decision.grant else Permissions()

    async def _effects(self, effects: Sequence[ObservedEffect]) -> None:
        """Take new effects, and known ones that may have become surprises: first granted, later denied."""
        self._known.update({one.number: one for one in effects})
        found = surprises(self._case.analysis, self._granted, effects, tuple(self._known.values()))
        recorded = {one.number for one in self._surprises}
        await self._surprised([one for one in found if one.number not in recorded])

    async def _surprised(self, found: Sequence[EffectMatch]) -> None:
        """Record surprises, and do what the policy says about the gravest."""
        found = self._bounded(found)
        severities = [one.severity for one in found if one.severity is not None]
        if not severities:
            return
        action = self._policy.surprise_action(max(severities, key=lambda level: level.rank))
        data = {
            "surprises": [one.model_dump(mode="json") for one in found],
            "action": action.value,
        }
        await self._events.record_surely("run.surprise", self._id, data=data)
        report = self._policy.surprises_for_agent
        await self._act(action, cause(found, SurpriseReport.ALL), cause(found, report))

    def _bounded(self, found: Sequence[EffectMatch]) -> list[EffectMatch]:
        """Keep surprises, unless there are very many as grave; return those that are kept."""
        kept = []
        for one in found:
            if sum(known.severity is one.severity for known in self._surprises) < MOST_SURPRISES:
                self._surprises.append(one)
                kept.append(one)
        return kept

    async def _observed(self, observation: Observation) -> None:
        """End a run that is not observed any more where the policy requires it."""
        if self._policy.observed_only and observation.status is not ObservationStatus.COMPLETE:
            why = f"not fully observed: {', '.join(observation.reasons)}"
            await self._act(SurpriseAction.KILL, why, why)

    async def _act(self, action: SurpriseAction, why: str, evidence: str) -> None:
        """Freeze or kill the run while it goes on; one that cannot be frozen is killed.

        `why` is for those who review it; `evidence` becomes part of the result, which the agent reads.
        """
        if action is SurpriseAction.RECORD or not self._sandboxes.is_running(self._id):
            return
        if action is SurpriseAction.FREEZE and await self._sandboxes.pause(self._id):
            await self._events.record_soon("run.pause", self._id, data={"why": why})
            await self._keep_snapshot()
            return
        await self._sandboxes.kill(self._id, f"the policy, {evidence}", KillReason.POLICY)

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
