"""What reviewers do beside decisions, through the client."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from engine.client.signing import signed
from engine.client.transport import Transport
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import (
    BulkAnswer,
    Case,
    DecisionOutcome,
    Grant,
    QueueEntry,
    ReviewRecord,
    Revision,
    ThreadEntry,
)
from engine.models.api import (
    MOST_AT_ONCE,
    AssignmentRequest,
    BulkClaimRequest,
    BulkDecision,
    BulkDecisionRequest,
    DecisionRequest,
    RehearsalRequest,
)
from engine.models.rehearsal import Rehearsal

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_THREAD = TypeAdapter(tuple[ThreadEntry, ...])
_NAMES = TypeAdapter(tuple[Untrusted, ...])
_ANSWERS = TypeAdapter(tuple[BulkAnswer, ...])
_ENTRIES = TypeAdapter(tuple[QueueEntry, ...])

REHEARSAL_SECONDS = 270.0
"""How long an answer about a rehearsal may take."""
BULK_SECONDS = 120.0
"""How long an answer about two hundred submissions may take."""


class ReviewsClient:
    """Reads the review queue with reasons, and gives more time."""

    def __init__(self, transport: Transport, key: Ed25519PrivateKey | None = None) -> None:
        self._transport = transport
        self._key = key

    async def queue(self, ids: Sequence[str] = ()) -> tuple[QueueEntry, ...]:
        """Return what is pending, queued or running, the highest risk first, and why.

        Where `ids` are given, at most 200, only those of them that are.
        """
        params = {"ids": ",".join(ids)} if ids else {}
        return _ENTRIES.validate_json(await self._transport.get("/v1/queue", params))

    async def expired(self) -> tuple[QueueEntry, ...]:
        """Return what expired within a week, the latest first."""
        return _ENTRIES.validate_json(await self._transport.get("/v1/expired"))

    async def revive(self, id: str) -> Case:
        """Let an expired submission wait again, and return the case of the new one."""
        return Case.model_validate_json(await self._transport.post(f"/v1/submissions/{id}/revival"))

    async def extend(self, id: str) -> Case:
        """Give a pending submission ten more minutes."""
        return Case.model_validate_json(await self._transport.post(f"/v1/submissions/{id}/extension"))

    async def rehearse(self, id: str, *, withhold_files: bool = False) -> Rehearsal:
        """Run a pending submission with decoys and without a network, and return what it did."""
        body = RehearsalRequest(withhold_files=withhold_files)
        path = f"/v1/submissions/{id}/rehearsal"
        return Rehearsal.model_validate_json(
            await self._transport.post(path, body, timeout=REHEARSAL_SECONDS)
        )

    async def stop_rehearsal(self, id: str) -> None:
        """Stop the rehearsal of a submission that goes on."""
        await self._transport.send("DELETE", f"/v1/submissions/{id}/rehearsal")

    async def rehearsal(self, id: str) -> Rehearsal:
        """Return the last rehearsal of a submission; Problem 404 if there was none."""
        return Rehearsal.model_validate_json(await self._transport.get(f"/v1/submissions/{id}/rehearsal"))

    async def revision(self, id: str) -> Revision:
        """Return what a submission changes in the one that it revises; Problem 404 if it revises none."""
        return Revision.model_validate_json(await self._transport.get(f"/v1/submissions/{id}/revision"))

    async def thread(self, id: str) -> tuple[ThreadEntry, ...]:
        """Return a submission and those that it revises, the first first."""
        return _THREAD.validate_json(await self._transport.get(f"/v1/submissions/{id}/thread"))

    async def claim_all(self, ids: Sequence[str]) -> tuple[BulkAnswer, ...]:
        """Claim several submissions; each answer says whether, and why not."""
        body = BulkClaimRequest(ids=tuple(ids))
        return _ANSWERS.validate_json(
            await self._transport.post("/v1/queue/claims", body, timeout=BULK_SECONDS)
        )

    async def look(self, id: str) -> tuple[Untrusted, ...]:
        """Say that you have a submission on screen; return the names of other reviewers who have."""
        return _NAMES.validate_json(await self._transport.post(f"/v1/submissions/{id}/presence"))

    async def assign(self, ids: Sequence[str], to: str = "me") -> tuple[BulkAnswer, ...]:
        """Assign submissions to a reviewer: to yourself, or with an empty name to nobody.

        Raises:
            Problem: there are none, too many, or an id is none (422).
        """
        try:
            body = AssignmentRequest(ids=tuple(ids), to=to)
        except ValidationError:
            what = f"give the IDs of 1 to {MOST_AT_ONCE} submissions and a name of 64 characters at most"
            raise Problem(422, what, hint="Type: pratique queue") from None
        return _ANSWERS.validate_json(
            await self._transport.post("/v1/queue/assignments", body, timeout=BULK_SECONDS)
        )

    async def decide_all(
        self,
        digests: Mapping[str, str],
        outcome: DecisionOutcome,
        reason: str = "",
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
    ) -> tuple[BulkAnswer, ...]:
        """Deny several submissions, by their ids and digests, or approve several that are equivalent."""
        made = {
            id: DecisionRequest(
                outcome=outcome,
                digest=digest,
                reason=Untrusted(reason),
                grant=grant,
                review_record=review_record,
            )
            for id, digest in digests.items()
        }
        decisions = (BulkDecision(id=id, decision=signed(id, one, self._key)) for id, one in made.items())
        body = BulkDecisionRequest(decisions=tuple(decisions))
        return _ANSWERS.validate_json(
            await self._transport.post("/v1/queue/decisions", body, timeout=BULK_SECONDS)
        )
