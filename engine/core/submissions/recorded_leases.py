"""The leases of submissions, in the history: after a restart it is known from them who waited for what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.core.history.event_bus import EventBus

FIELD = "leases"
"""Where an event's data carries the leases that its request came with."""


def lease_data(leases: Iterable[str]) -> dict[str, Any]:
    """Return what is recorded of leases: nothing where there are none."""
    named = [lease for lease in leases if lease]
    return {FIELD: named} if named else {}


async def recorded_leases(events: EventBus, id: str) -> tuple[str, ...]:
    """Return the leases that a submission, or the same request made again, came with."""
    found = {lease: None async for event in events.recorded(id) for lease in event.data.get(FIELD, ())}
    return tuple(found)
