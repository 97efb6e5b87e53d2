"""What past decisions teach, through the client."""

from __future__ import annotations

from pydantic import TypeAdapter

from engine.client.transport import Transport
from engine.models.past_decisions import CarelessReport, DrillScore, PolicyAdoption, PolicySuggestion

_SUGGESTIONS = TypeAdapter(tuple[PolicySuggestion, ...])
SECONDS = 60.0
"""How long an answer from thousands of past submissions may take."""


class PolicyClient:
    """Lists suggested rules and adopts one, lists approvals that look careless, and your score of drills."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    async def suggestions(self) -> tuple[PolicySuggestion, ...]:
        """Return the rules that past decisions suggest, those that would spare most decisions first."""
        return _SUGGESTIONS.validate_json(
            await self._transport.get("/v1/policy/suggestions", {}, timeout=SECONDS)
        )

    async def careless(self, days: float = 30) -> CarelessReport:
        """Return the approvals that look careless: your own, and with the scope `audit` everybody's."""
        path = "/v1/approvals/careless"
        return CarelessReport.model_validate_json(await self._transport.get(path, {"days": days}, SECONDS))

    async def drills(self) -> DrillScore:
        """Return your own score of drills, which is told to nobody else."""
        return DrillScore.model_validate_json(await self._transport.get("/v1/drills", {}))

    async def adopt(self, rule: str) -> PolicyAdoption:
        """Put a suggested rule into force."""
        path = f"/v1/policy/suggestions/{rule}/adoption"
        return PolicyAdoption.model_validate_json(await self._transport.post(path, timeout=SECONDS))
