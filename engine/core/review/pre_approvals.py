"""Pre-approvals: created, listed, used and revoked. They are stored as events of the history."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.history.event_bus import ENGINE, EventBus
from engine.core.review.reviewer_keys import ReviewerKeys
from engine.history.errors import SupersededError
from engine.models import Case, DecisionOutcome, Event, Grant, Level, MatchMode, PreApproval, Principal
from engine.policy.comparison.fingerprint import structural_fingerprint
from engine.policy.pre_approval import matching_pre_approval, pre_approval_error
from engine.principals import may
from engine.principals.keys import KeyUnusable
from engine.principals.roles import Action

SUBJECT = "pre-approvals"
TRIES = 5
"""How often a use is recorded again where another engine recorded something meanwhile."""
POLICY = Principal(name=Untrusted("policy"), roles=frozenset())
"""Who approves what nobody is asked about."""


class PreApprovals:
    """The pre-approvals, rebuilt from the history."""

    def __init__(
        self, events: EventBus, keys: ReviewerKeys, suspended: Callable[[str], bool] = lambda _: False
    ) -> None:
        self._events = events
        self._suspended = suspended
        self._keys = keys
        self._by_id: dict[str, PreApproval] = {}
        self._lock = asyncio.Lock()
        self._last = 0
        """The number of the last record about pre-approvals that is known."""

    async def start(self) -> None:
        """Read from the history which there are, and how often each was used."""
        async for event in self._events.recorded(SUBJECT):
            self.replay(event)
        await self.end_unregistered(ENGINE)

    def listed(self) -> tuple[PreApproval, ...]:
        """Return all that are not revoked, and whose key is not, the newest first."""
        return tuple(reversed(self._open()))

    async def create(
        self, case: Case, by: Principal, match_mode: MatchMode, ceiling: Level, uses: int, days: float
    ) -> PreApproval:
        """Let submissions that are the same as an approved case be approved at once, for its requester.

        Raises:
            Problem: the principal may not, the case was not approved, or it would hold for too much.
        """
        self._may_manage(by)
        decision, now = case.decision, datetime.now(UTC)
        if decision is None or decision.outcome is not DecisionOutcome.APPROVED or decision.grant is None:
            raise Problem(409, f"{case.submission.id} was not approved", hint="Approve it first.")
        pre_approval = PreApproval(
            id=f"a-{secrets.token_hex(4)}",
            match_mode=match_mode,
            value=_value(case, match_mode),
            requester=case.submission.requester.name,
            principal=case.submission.requester.id,
            ceiling=ceiling,
            uses=uses,
            until=now + timedelta(days=min(days, 10_000)),
            grant=Grant(permissions=decision.grant.permissions),
            basis=case.submission.id,
            by=by,
            at=now,
        )
        if why := pre_approval_error(pre_approval):
            raise Problem(422, why)
        async with self._keys.held():
            try:
                signed = await self._keys.sign_pre_approval(pre_approval)
            except KeyUnusable as error:
                raise Problem(503, str(error)) from None
            await self._record(
                "pre_approval.created", by.name, signed, {"approval": signed.model_dump(mode="json")}
            )
        return signed

    async def revoke(self, id: str, by: Principal) -> None:
        """Revoke a pre-approval: it approves nothing from then on.

        Raises:
            Problem: the principal may not, or there is none of that id.
        """
        self._may_manage(by)
        async with self._lock:
            pre_approval = self._by_id.get(id)
            if pre_approval is None or pre_approval.revoked:
                raise Problem(404, f"there is no pre-approval {id}", hint="Type: pratique pre-approval list")
            await self._record("pre_approval.revoked", by.name, pre_approval.as_revoked(), {})

    async def end_unregistered(self, actor: Untrusted) -> None:
        """Revoke, on record, what was signed with a key that is registered no longer."""
        async with self._lock:
            for one in [one for one in self._by_id.values() if not one.revoked]:
                if not self._keys.signed_by_registered(one):
                    await self._record("pre_approval.revoked", actor, one.as_revoked(), {})

    async def use(self, case: Case) -> PreApproval | None:
        """Return the pre-approval that approves a case, with one more of its uses taken; None without one."""
        for _ in range(TRIES):
            with contextlib.suppress(SupersededError):
                return await self._use(case)
            await self._read_on()
        return None

    async def _read_on(self) -> None:
        """Read what other engines have recorded."""
        for event in await self._events.log.read.events(since=self._last, subject=SUBJECT):
            self.replay(event)

    async def _use(self, case: Case) -> PreApproval | None:
        async with self._lock:
            able = [one for one in self._open() if not self._suspended(one.id)]
            pre_approval = matching_pre_approval(case, able, datetime.now(UTC))
            if pre_approval is None:
                return None
            used = pre_approval.with_uses(pre_approval.used + 1)
            data = {"submission": case.submission.id, "used": used.used}
            await self._record("pre_approval.used", POLICY.name, used, data)
            return used

    async def _record(
        self, type: str, actor: Untrusted, pre_approval: PreApproval, data: dict[str, object]
    ) -> None:
        data = {"pre_approval": pre_approval.id, **data}
        event = await self._events.record_after(self._last, type, SUBJECT, actor, data)
        self._last = event.seq
        self._by_id[pre_approval.id] = pre_approval

    def _open(self) -> tuple[PreApproval, ...]:
        """Return what can still approve, the oldest first."""
        known = self._by_id.values()
        return tuple(one for one in known if not one.revoked and self._keys.signed_by_registered(one))

    def _may_manage(self, by: Principal) -> None:
        if not may(by, Action.MANAGE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")

    def replay(self, event: Event) -> None:
        """Take a record about pre-approvals into account, unless it is known."""
        if event.seq <= self._last:
            return
        self._last = event.seq
        id = str(event.data["pre_approval"])
        if event.type == "pre_approval.created":
            self._created(id, event)
            return
        pre_approval = self._by_id.get(id)
        if pre_approval is None:  # it was not signed as it must be
            return
        if event.type == "pre_approval.revoked":
            self._by_id[id] = pre_approval.as_revoked()
        else:
            self._by_id[id] = pre_approval.with_uses(int(event.data["used"]))

    def _created(self, id: str, event: Event) -> None:
        """Take a pre-approval from the history, unless it is not signed with its giver's key."""
        pre_approval = PreApproval.model_validate(event.data["approval"])
        given = (pre_approval.id, pre_approval.by.name) == (id, event.actor)
        if given and self._keys.holds_pre_approval(pre_approval, event.seq):
            self._by_id[id] = pre_approval


def _value(case: Case, match_mode: MatchMode) -> str:
    if match_mode is MatchMode.EXACT:
        return case.submission.digest
    value = structural_fingerprint(case.submission.draft, case.analysis.verdict)
    if value is None:
        raise Problem(
            422,
            "only identical bytes can be pre-approved here: this code does more than compute",
            hint="Use --match exact.",
        )
    return value
