"""Turns the events of a sandbox backend into events of the history."""

from __future__ import annotations

from typing import Any

from engine.models.observed import ObservationStatus
from engine.sandbox.api.run_events import (
    EffectsObserved,
    LinesRan,
    NetworkAttempt,
    OutputTruncated,
    PackagesReady,
    RunDisplay,
    RunEvent,
    RunKilled,
    RunObserved,
    RunQueued,
    SandboxAcquired,
    SandboxDestroyed,
)

HISTORY_TYPES: dict[type[RunEvent], str] = {
    RunQueued: "run.queued",
    SandboxAcquired: "sandbox.acquired",
    PackagesReady: "packages.ready",
    NetworkAttempt: "network.attempt",
    RunDisplay: "run.display",
    EffectsObserved: "run.effects",
    RunObserved: "run.observed",
    LinesRan: "run.lines",
    OutputTruncated: "run.output_truncated",
    RunKilled: "run.killed",
    SandboxDestroyed: "sandbox.destroyed",
}
_STATES = {
    ObservationStatus.COMPLETE: "complete",
    ObservationStatus.INCOMPLETE: "incomplete",
    ObservationStatus.NONE: "none",
}
_KEPT_OF_LINES = {"marks", "hits_limit", "partial"}
SANDBOX_CREATED = "sandbox.created"
"""Instead of `sandbox.acquired`, where the sandbox was not ready before."""


def history_event(event: RunEvent) -> tuple[str, dict[str, Any]]:
    """Return the type and data that the history records for an event."""
    match event:
        case SandboxAcquired():
            kind = HISTORY_TYPES[SandboxAcquired] if event.warm else SANDBOX_CREATED
            omitted = {"warm"} if event.session else {"warm", "session"}
            return kind, event.model_dump(mode="json", exclude=omitted)
        case RunDisplay():
            return HISTORY_TYPES[RunDisplay], event.display.model_dump(mode="json", exclude={"text"})
        case LinesRan():
            return HISTORY_TYPES[LinesRan], event.lines.model_dump(mode="json", include=_KEPT_OF_LINES)
        case RunObserved():
            state = _STATES[event.observation.status]
            return HISTORY_TYPES[RunObserved], {**event.model_dump(mode="json"), "state": state}
        case _:
            return HISTORY_TYPES[type(event)], event.model_dump(mode="json")


def is_durable(event: RunEvent) -> bool:
    """Return whether an event must be on disk before the next step.

    That a sandbox was acquired is on disk with the start of the run, and so before any code is in it.
    """
    return not isinstance(event, SandboxAcquired | RunDisplay | EffectsObserved | RunObserved | LinesRan)
