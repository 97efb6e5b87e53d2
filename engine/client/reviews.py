"""What reviewers do beside decisions, through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models import Case, QueueEntry, Revision, ThreadEntry

_THREAD = TypeAdapter(tuple[ThreadEntry, ...])
_ENTRIES = TypeAdapter(tuple[QueueEntry, ...])


class ReviewsClient:
    """Reads the review queue with reasons, and gives more time."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def queue(self) -> tuple[QueueEntry, ...]:
        """Return what is pending, queued or running, the highest risk first, and why."""
        return _ENTRIES.validate_json(await self._transport.get("/queue"))

    async def expired(self) -> tuple[QueueEntry, ...]:
        """Return what expired within a week, the latest first."""
        return _ENTRIES.validate_json(await self._transport.get("/expired"))

    async def extend(self, id: str) -> Case:
        """Give a pending submission ten more minutes."""
        return Case.model_validate_json(await self._transport.post(f"/submissions/{id}/extension"))

    async def revision(self, id: str) -> Revision:
        """Return what a submission changes in the one that it revises; Problem 404 if it revises none."""
        return Revision.model_validate_json(await self._transport.get(f"/submissions/{id}/revision"))

    async def thread(self, id: str) -> tuple[ThreadEntry, ...]:
        """Return a submission and those that it revises, the first first."""
        return _THREAD.validate_json(await self._transport.get(f"/submissions/{id}/thread"))
