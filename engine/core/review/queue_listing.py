"""The review queue as reviewers see it: why each is where it is, who has it, and which belong together."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime

import rfc8785

from engine.common.level_reason import level_reason, worst_violation
from engine.common.queue_order import queue_order
from engine.common.text import Untrusted
from engine.core.history.queries import Queries
from engine.core.queue import WorkQueue
from engine.core.submissions.canonical import canonical
from engine.history.summary import summary_of
from engine.models import Case, Claim, Draft, Limits, Principal, QueueEntry
from engine.policy.comparison.fingerprint import structural_fingerprint

KEPT = 5000
MOST_CHARACTERS = 32 * 1024
"""Longer code is one group only where its bytes are: to read it would hold others up."""
NOBODY = Principal(name=Untrusted(""))
EXPIRED_FILTER = "status:expired since:7d"
"""What expired longer ago is found in the history, and waits for nobody."""
MOST_EXPIRED = 100
Digests = tuple[str, str]
"""The group of a submission, and the digest of what is identical."""


class QueueListing:
    """Lists what waits for reviewers, and what expired."""

    def __init__(self, queries: Queries, queue: WorkQueue) -> None:
        self._queries = queries
        self._queue = queue
        self._known: OrderedDict[str, Digests] = OrderedDict()

    async def entries(self, ids: Iterable[str] = (), by: Principal = NOBODY) -> tuple[QueueEntry, ...]:
        """Return what is pending, queued or running: pending first, then by risk and by what weighs most.

        `by` is who asks: what is assigned to them is marked.

        Where `ids` are given, only those of them that are.
        """
        wanted = frozenset(ids)
        found = [self._queue.find(id) for id in wanted] if wanted else list(self._queue)
        cases = [entry.case for entry in found if entry is not None]
        return tuple(sorted([await self._entry(case, by) for case in cases], key=queue_order))

    async def expired(self) -> tuple[QueueEntry, ...]:
        """Return what expired within a week and does not wait again, the latest first."""
        found = await self._queries.history(EXPIRED_FILTER, None, MOST_EXPIRED)
        cases = [await self._queries.case(one.id) for one in found]
        waiting = [
            case for case in cases if not case.revived_as or await self._queries.is_missing_revival(case)
        ]
        return tuple([await self._entry(case) for case in waiting])

    async def _entry(self, case: Case, by: Principal = NOBODY) -> QueueEntry:
        draft, worst = case.submission.draft, worst_violation(case.analysis)
        assigned = case.assigned.to if case.assigned else Untrusted("")
        group, identical = await self._digests(case)
        return QueueEntry(
            summary=summary_of(case),
            level_reason=level_reason(case),
            purpose=draft.purpose,
            verdict=case.analysis.verdict,
            worst=worst.severity if worst else None,
            unproven=len(case.analysis.unproven),
            asks=_count_requests(draft),
            secrets=len(draft.permissions.secrets),
            claim=_holding(case),
            assigned=assigned,
            assigned_to_me=bool(assigned.text) and assigned == by.name,
            group=group,
            identical=identical,
            revises=draft.revises,
        )

    async def _digests(self, case: Case) -> Digests:
        id = case.submission.id
        if found := self._known.get(id):
            return found
        found = self._known[id] = await asyncio.to_thread(digests_of, case)
        while len(self._known) > KEPT:
            self._known.popitem(last=False)
        return found


def digests_of(case: Case) -> Digests:
    """Return the group of a case, and the digest of its content: of long code both are the latter."""
    draft = case.submission.draft
    identical = content_digest(draft)
    if len(draft.code.text) > MOST_CHARACTERS:
        return identical, identical
    return structural_fingerprint(draft.without_thread(), case.analysis.verdict) or identical, identical


def content_digest(draft: Draft) -> str:
    """Return the SHA-256 of everything in a draft: who submits it plays no part."""
    plain = canonical(draft, NOBODY)
    return hashlib.sha256(rfc8785.dumps(plain)).hexdigest()


def _holding(case: Case) -> Claim | None:
    return case.claim if case.claim and case.claim.until > datetime.now(UTC) else None


def _count_requests(draft: Draft) -> int:
    asked = draft.permissions
    named = (asked.domains, asked.packages, asked.files, asked.secrets, asked.builds)
    higher = [name for name, value in asked.limits if value > getattr(Limits(), name)]
    return sum(map(len, named)) + len(higher) + asked.session
