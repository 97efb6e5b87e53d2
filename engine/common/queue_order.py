"""The order of the review queue, the same for the engine and for clients that update their own list."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.models import QueueEntry, Status

LAST = datetime.max.replace(tzinfo=UTC)


def queue_order(entry: QueueEntry) -> tuple[object, ...]:
    """Sort what waits for a decision first, by level, and within a level by what weighs most."""
    summary = entry.summary
    return (
        summary.status is not Status.PENDING,
        -summary.risk.rank,
        -(entry.worst.rank if entry.worst else -1),
        -entry.secrets,
        -entry.asks,
        -entry.unproven,
        summary.deadline or LAST,
        summary.id,
    )
