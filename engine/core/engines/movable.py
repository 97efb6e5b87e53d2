"""Which approved runs may leave the engine that approved them, and which another engine may take."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, zip_longest

from engine.common.errors import Problem
from engine.core.queue import ActiveSubmission
from engine.core.review.decisions import ReviewDecisions
from engine.models import Case
from engine.policy import Policy
from engine.sandbox import Backend


def stays(case: Case, policy: Policy) -> bool:
    """Return whether an approved run may need what its engine alone has.

    The sandbox of a session is there; of a secret others may have an older version; whether effects can be
    observed differs between machines.
    """
    grant = case.decision.grant if case.decision else None
    if grant is None or policy.observed_only:
        return True
    given = grant.permissions
    return bool(case.submission.draft.session or given.session or given.secrets)


@dataclass(frozen=True)
class Movable:
    """Says which runs may move, by what this engine decides and runs by."""

    decisions: ReviewDecisions
    sandboxes: Backend

    @property
    def policy(self) -> str:
        """The hash of the policy in force."""
        return self.decisions.policy.hash

    def stays(self, case: Case) -> bool:
        """Return whether an approved run may need what its engine alone has."""
        return stays(case, self.decisions.policy)

    async def may_come(self, case: Case) -> bool:
        """Return whether this engine can run what another one approved: by that policy, in that image."""
        decision = case.decision
        if decision is None or decision.grant is None or self.stays(case):
            return False
        if decision.policy != self.policy or self.sandboxes.proof is None:
            return False
        try:
            image = await self.decisions.image_of(case)
        except Problem:
            return False
        granted, language = decision.grant.permissions, case.submission.draft.language
        missing = self.sandboxes.capabilities.missing(language, granted)
        return image == decision.image and not missing and not self.decisions.changed(case, image)


def in_turn(entries: Iterable[ActiveSubmission]) -> list[ActiveSubmission]:
    """Return approved runs in the order in which they start: one of each requester, then the next ones."""
    lines: dict[str, list[ActiveSubmission]] = {}
    for entry in sorted(entries, key=_approved):
        lines.setdefault(entry.case.submission.requester.identity, []).append(entry)
    return [entry for entry in chain(*zip_longest(*lines.values())) if entry is not None]


def _approved(entry: ActiveSubmission) -> float:
    decision = entry.case.decision
    return decision.at.timestamp() if decision else 0.0
