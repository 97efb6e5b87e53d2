"""The look back at approvals: those of one reviewer for that reviewer, all for the owner and auditors."""

from __future__ import annotations

import asyncio

from engine.core.history.queries import Queries
from engine.models import Principal
from engine.models.past_decisions import CarelessReport
from engine.policy.careless import report

MOST_READ = 5000
"""So many approved submissions, the newest, are looked at."""


class CarelessApprovals:
    """Finds approvals that look careless."""

    def __init__(self, queries: Queries) -> None:
        self._queries = queries

    async def report(self, days: float, of: Principal | None) -> CarelessReport:
        """Return what looks careless among the approvals of so many days, or those `of` a reviewer."""
        period = f"since:{max(1, round(days * 24))}h decision:approved"
        approved = await self._queries.history(period, None, MOST_READ)
        surprised = await self._queries.history(f"{period} surprise:*", None, MOST_READ)
        cases = [await self._queries.case(one.id) for one in approved]
        return await asyncio.to_thread(report, cases, {one.id for one in surprised}, of)
