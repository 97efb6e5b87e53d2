"""Learning from decisions: rules that they suggest, and the adoption of one."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.text import visible
from engine.core.config.policy_store import PolicyStore
from engine.core.history.event_bus import EventBus
from engine.core.history.queries import Queries
from engine.core.review.reviewer_keys import ReviewerKeys
from engine.models import WITHDRAWN, Case, KillReason, Principal, Status
from engine.models.past_decisions import PolicyAdoption, PolicySuggestion
from engine.policy.files.policy_diff import PastSubmission
from engine.policy.suggestions import HEADER, suggestions
from engine.principals import may
from engine.principals.keys import KeyUnusable
from engine.principals.roles import Action

PERIOD = "since:90d"
MOST_READ = 2000
"""So many submissions, the newest, are learned from."""
SUBJECT = "policy"


class Learning:
    """Suggests rules for the policy from what people decided, and puts one into force."""

    def __init__(self, queries: Queries, policy: PolicyStore, keys: ReviewerKeys, events: EventBus) -> None:
        self._queries = queries
        self._policy = policy
        self._keys = keys
        self._events = events
        self._lock = asyncio.Lock()

    async def suggestions(self) -> tuple[PolicySuggestion, ...]:
        """Return the rules that the decisions of the last 90 days suggest."""
        found = await self._queries.history(PERIOD, None, MOST_READ)
        surprised = await self._queries.history(f"{PERIOD} surprise:*", None, MOST_READ)
        surprising = {one.id for one in surprised}
        real = [one for one in reversed(found) if one.status is not Status.DRILL]
        stored = [_past(await self._queries.case(one.id), surprising) for one in real]
        return await asyncio.to_thread(suggestions, stored, self._policy.current)

    async def adopt(self, id: str, by: Principal) -> PolicyAdoption:
        """Put a suggested rule into force, signed with the key of who adopts it.

        Raises:
            Problem: the principal may not, it is not suggested any more, it cannot be signed, or the policy
                does not hold with it.
        """
        if not may(by, Action.MANAGE):
            raise Problem(403, f"{visible(by.name)} may not change the policy")
        async with self._lock:
            wanted = next((one for one in await self.suggestions() if one.id == id), None)
            if wanted is None:
                raise Problem(
                    404, f"{visible(id)[:60]} is not suggested", hint="Type: pratique policy suggest"
                )
            return await self._adopted(wanted, by)

    async def _adopted(self, wanted: PolicySuggestion, by: Principal) -> PolicyAdoption:
        made = PolicyAdoption(rule=wanted.id, yaml=wanted.yaml, by=by, at=datetime.now(UTC))
        before = await self._policy.adopted_text()
        async with self._keys.held():
            try:
                signed = await self._keys.sign_adoption(made)
            except KeyUnusable as error:
                raise Problem(503, str(error)) from None
            data = {"rule": signed.rule, "adoption": signed.model_dump(mode="json")}
            await self._policy.require_sound(_with_rule(before, wanted))
            await self._events.record("policy.adopted", SUBJECT, by.name, data=data)
        await self._policy.adopt(_with_rule(before, wanted))
        return signed


def _with_rule(before: str, wanted: PolicySuggestion) -> str:
    return before + wanted.yaml.removeprefix(HEADER) if before else wanted.yaml


def _past(case: Case, surprising: set[str]) -> PastSubmission:
    requester, decision, result = case.submission.requester, case.decision, case.result
    killed = result is not None and result.kill_reason is not KillReason.NONE
    return PastSubmission(
        case.submission.id,
        case.submission.draft,
        case.analysis,
        decision.outcome if decision else None,
        requester=requester.identity,
        agent=visible(requester.name),
        by_person=decision is not None and bool(decision.by.roles) and decision.reason.text != WITHDRAWN,
        troubled=killed or case.submission.id in surprising,
    )
