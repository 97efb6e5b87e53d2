"""Decisions: who may make them, what they cover, and their signature."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.review_coverage import requires_full_review
from engine.common.text import Untrusted, visible
from engine.core.config.policy_store import PolicyStore
from engine.core.review.equivalence import EquivalentReviews
from engine.core.review.grant_validation import validate_grant
from engine.core.review.reviewer_keys import ReviewerKeys
from engine.core.runs.execution import image_name
from engine.core.sandbox_startup import SandboxStartup
from engine.core.submissions.canonical import digest
from engine.history.errors import HistoryError
from engine.images import reference
from engine.models import (
    Case,
    Decision,
    DecisionOutcome,
    Grant,
    LineComment,
    Principal,
    ReviewRecord,
    ShownBy,
    Status,
)
from engine.policy import Policy, excess
from engine.policy.binding import analysis_hash, changed
from engine.policy.review import decision_obstacle, unreviewed_items
from engine.principals.keys import KeyUnusable
from engine.sandbox import Backend, SandboxUnavailable
from engine.sandbox.api.backend import PackageSource
from engine.settings import Settings

WAIT = "It waits in Review."
RECORD = "Approve it in the console or with `pratique approve`, or send a review_record."


class ReviewDecisions:
    """Makes decisions, and says before a run whether one still holds."""

    def __init__(
        self,
        settings: Settings,
        policy: PolicyStore,
        sandboxes: Backend,
        keys: ReviewerKeys,
        startup: SandboxStartup,
        equivalents: EquivalentReviews,
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._sandboxes = sandboxes
        self._keys = keys
        self._startup = startup
        self._equivalents = equivalents

    @property
    def policy(self) -> Policy:
        """The policy in force."""
        return self._policy.current

    @property
    def packages(self) -> PackageSource:
        """Where packages are looked up."""
        return self._sandboxes.packages

    def keys_held(self) -> AbstractAsyncContextManager[None]:
        """Let no key be revoked between the signature of a decision in this block and its record."""
        return self._keys.held()

    def require_decidable(
        self, case: Case, by: Principal, outcome: DecisionOutcome, shown: str, *, overdue: bool
    ) -> None:
        """Check that a reviewer may decide about what was `shown`.

        Raises:
            Problem: it is not pending or expired, another reviewer claims it, something else was displayed,
                or a second reviewer is required.
        """
        id, now = case.submission.id, datetime.now(UTC)
        if case.status is not Status.PENDING:
            raise Problem(409, f"{id} is not pending: it is {case.status}")
        if overdue:
            raise Problem(409, f"{id} is past its deadline", hint=f"Type: pratique revive {id}")
        if shown != case.submission.digest:
            raise Problem(409, f"what was shown is not {id}: the digests differ", hint="Open it again.")
        stored = digest(case.submission.draft, case.submission.requester)
        if outcome is DecisionOutcome.APPROVED and stored != shown:
            what = f"what is stored of {id} is not what was submitted: its digest is another"
            raise Problem(409, what, hint="Deny it, and type: pratique audit verify")
        forged = next((review for review in case.reviews if not self._keys.holds(review)), None)
        if outcome is DecisionOutcome.APPROVED and forged:
            raise Problem(409, self._unsigned(forged), hint="Deny it, and have it submitted again.")
        why = decision_obstacle(
            case, by, outcome, two_reviewers=self._settings.policy.requires_second_reviewer
        )
        if why:
            raise Problem(403, why)
        claim = case.claim
        if outcome is DecisionOutcome.APPROVED and claim and not claim.is_of(by) and now < claim.until:
            left = (claim.until - now).total_seconds()
            raise Problem(409, f"{id} is claimed by {visible(claim.by)} for {left:.0f} s at most")

    async def require_grantable(self, case: Case, grant: Grant) -> None:
        """Check that a grant may be given.

        Raises:
            Problem: it exceeds the request, or nothing can run.
        """
        given = grant.permissions
        over = excess(given, case.submission.draft.permissions, self._settings.policy.ceiling)
        if over:
            raise Problem(422, f"a grant never exceeds the request: {'; '.join(over)}")
        if missing := self._sandboxes.capabilities.missing(case.submission.draft.language, given):
            raise Problem(422, f"the sandboxes of this engine have {missing}", hint="Approve without.")
        validate_grant(given, case.submission.draft)
        if not await self._startup.isolated():
            raise Problem(503, "nothing runs: gVisor is not proven here", hint="Type: pratique doctor")

    async def require_reviewed(self, case: Case, by: Principal, review_record: ReviewRecord | None) -> None:
        """Check the review record of an approval, where the settings require one.

        Raises:
            Problem: something was not on screen, a violation has no triage, or the record is an author's
                where another person has to review.
        """
        if review_record and review_record.shown_by is ShownBy.AUTHOR:
            self._require_author(case, by)
        if review_record and review_record.carried_from not in {"", case.submission.draft.revises}:
            raise Problem(422, f"{case.submission.id} does not revise {review_record.carried_from[:50]}")
        displayed = await self._equivalents.displayed(case, review_record)
        if not self._settings.policy.require_full_review:
            return
        missing = unreviewed_items(displayed, review_record) if requires_full_review(case) else ()
        if requires_full_review(case) and review_record and review_record.shown_by is None:
            missing = ("the record does not say what displayed it (shown_by)",)
        if missing:
            more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise Problem(409, f"the review is incomplete: {missing[0]}{more}", hint=RECORD)

    def _require_author(self, case: Case, by: Principal) -> None:
        if self._settings.policy.profile != "solo":
            raise Problem(403, "a reviewer has to approve it: this engine is run by a team", hint=WAIT)
        if by.identity != case.submission.requester.identity:
            raise Problem(403, f"only its author approves {case.submission.id} as its author", hint=RECORD)

    async def make(
        self,
        case: Case,
        by: Principal,
        outcome: DecisionOutcome,
        reason: str,
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
        pre_approval: str = "",
        comments: tuple[LineComment, ...] = (),
    ) -> Decision:
        """Return a signed decision, an approval bound to the image that it is for.

        Raises:
            Problem: it is an approval, and there is no image or no key.
        """
        decision = Decision(
            submission=case.submission.id,
            digest=case.submission.digest,
            outcome=outcome,
            by=by,
            at=datetime.now(UTC),
            reason=Untrusted(reason),
            grant=grant,
            image=await self.image_of(case) if outcome is DecisionOutcome.APPROVED else "",
            policy=self._policy.current.hash,
            analysis=analysis_hash(case.analysis),
            review_record=review_record,
            pre_approval=pre_approval,
            comments=comments,
        )
        try:
            return await self._keys.sign(decision)
        except (KeyUnusable, HistoryError) as error:
            if outcome is DecisionOutcome.APPROVED:
                raise Problem(503, str(error)) from None
            return decision

    def changed(self, case: Case, image: str) -> tuple[str, ...]:
        """Return what differs between what was approved and what is about to run in an image."""
        submission, decision = case.submission, case.decision
        now = digest(submission.draft, submission.requester)
        found = changed(case, now, image, self._settings.policy.ceiling)
        signed = (*case.reviews, *([decision] if decision else ()))
        return (*found, *(self._unsigned(one) for one in signed if not self._keys.holds(one)))

    @staticmethod
    def _unsigned(decision: Decision) -> str:
        name = visible(decision.by.name)
        return f"the approval by {name} is not as it was signed with the key registered for {name}"

    async def image_of(self, case: Case) -> str:
        """Return the digest of the image that a case would run in. Raises Problem (503)."""
        try:
            return await self._sandboxes.image_digest(reference(image_name(case, self._settings.sandbox)))
        except SandboxUnavailable as error:
            raise Problem(503, str(error), hint=f"Type: {error.hint}" if error.hint else "") from None
