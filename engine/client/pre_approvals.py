"""Pre-approvals through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models import Level, MatchMode, PreApproval
from engine.models.api import PreApprovalRequest

_PRE_APPROVALS = TypeAdapter(tuple[PreApproval, ...])


class PreApprovalsClient:
    """Lists, creates and revokes pre-approvals."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def list(self) -> tuple[PreApproval, ...]:
        """Return the pre-approvals that are not taken back, the newest first."""
        return _PRE_APPROVALS.validate_json(await self._transport.get("/v1/pre-approvals"))

    async def create(
        self, id: str, match_mode: MatchMode, ceiling: Level, uses: int, days: float
    ) -> PreApproval:
        """Let submissions that are the same as an approved one be approved at once."""
        beforehand = PreApprovalRequest(match_mode=match_mode, ceiling=ceiling, uses=uses, days=days)
        body = await self._transport.post(f"/v1/submissions/{id}/pre-approval", beforehand)
        return PreApproval.model_validate_json(body)

    async def revoke(self, id: str) -> None:
        """Take a pre-approval back."""
        await self._transport.send("DELETE", f"/v1/pre-approvals/{id}")
