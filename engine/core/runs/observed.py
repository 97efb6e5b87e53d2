"""The observed effects of a run, read from its events and compared anew. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from engine.common.text import Untrusted
from engine.models import Case, Event, Permissions
from engine.models.observed import (
    NetworkUse,
    Observation,
    ObservationStatus,
    ObservedEffect,
    RunEffects,
)
from engine.policy.effects.comparison import compare


def run_effects(case: Case, events: Iterable[Event]) -> RunEffects:
    """Return what a run did so far, beside what was predicted and granted."""
    effects: dict[int, ObservedEffect] = {}
    network: list[NetworkUse] = []
    observation: Observation | None = None
    for event in events:
        if event.type == "run.effects":
            found = map(ObservedEffect.model_validate, event.data["effects"])
            effects.update({one.number: one for one in found})
        elif event.type == "network.attempt":
            network.append(_use(event))
        elif event.type == "run.observed":
            observation = Observation.model_validate(event.data["observation"])
    granted = case.decision.grant.permissions if case.decision and case.decision.grant else Permissions()
    known = tuple(sorted(effects.values(), key=lambda one: (one.first, one.number)))
    complete = observation is None or _is_complete(observation)
    matches = (
        compare(case.analysis, granted, known, network, complete=complete) if known or observation else ()
    )
    return RunEffects(observation=observation, effects=known, matches=matches)


def _is_complete(observation: Observation) -> bool:
    return observation.status is ObservationStatus.COMPLETE and not observation.omitted


def _use(event: Event) -> NetworkUse:
    data = event.data
    secrets = tuple(map(Untrusted, data["secrets"])) if "secrets" in data else None
    return NetworkUse(
        host=Untrusted(data["host"]), port=data["port"], allowed=data["allowed"], secrets=secrets
    )
