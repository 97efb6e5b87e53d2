"""The submission service: submissions are analyzed, assessed, and pending until decided or expired."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.analysis_pool import AnalysisPool
from engine.common.errors import Problem
from engine.common.text import Untrusted, visible
from engine.core.config.policy_store import PolicyStore
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.core.review.comments import require_comments
from engine.core.review.decision_executor import DecisionExecutor
from engine.core.review.decisions import ReviewDecisions
from engine.core.review.pre_approvals import POLICY, PreApprovals
from engine.core.submissions.admission import AdmissionControl
from engine.core.submissions.canonical import digest
from engine.core.submissions.draft_analysis import analyse_draft
from engine.core.submissions.idempotency_keys import FIELD
from engine.core.submissions.normalisation import (
    analysis_payload,
    create_submission,
    revived_submission,
    submission_payload,
)
from engine.core.submissions.package_resolution import resolve_packages
from engine.core.submissions.recorded_leases import lease_data
from engine.models import (
    WITHDRAWN,
    Analysis,
    Case,
    DecisionOutcome,
    Draft,
    Grant,
    LineComment,
    Principal,
    ReviewRecord,
    Status,
    Submission,
)
from engine.policy import assess
from engine.principals import may
from engine.principals.roles import Action

NOBODY = Principal(name=Untrusted("nobody"), roles=frozenset())
REVOKED = "the token of its requester was revoked"
"""The reason of a denial because of that."""


class SubmissionService:
    """Where submissions come in, and where reviewers decide."""

    def __init__(
        self,
        events: EventBus,
        analysis_pool: AnalysisPool,
        queue: WorkQueue,
        policy: PolicyStore,
        decisions: ReviewDecisions,
        pre_approvals: PreApprovals,
        executor: DecisionExecutor,
        admission: AdmissionControl,
    ) -> None:
        self._events = events
        self._analysis_pool = analysis_pool
        self._queue = queue
        self._policy = policy
        self._decisions = decisions
        self._pre_approvals = pre_approvals
        self._executor = executor
        self._admission = admission

    async def submit(self, draft: Draft, requester: Principal, key: str = "", lease: str = "") -> Case:
        """Store, analyse and classify a draft, and return its case, which is on disk.

        `key` is the hash of the idempotency key that it came with, `lease` the one that it came with.

        Raises:
            Problem: it is too large, asks for too much, or too many submissions came or wait.
        """
        original = self._admission.complete(draft)
        async with self._admission.admit(original, requester):
            draft = await resolve_packages(original, self._decisions.packages, self._events, requester)
            submission = create_submission(draft, requester, original)
            entry = await self._take_in(submission, ({FIELD: key} if key else {}) | lease_data([lease]))
        return await self._by_policy(entry)

    async def submit_again(
        self,
        expired: Submission,
        link: Callable[[str], Awaitable[None]],
        id: str = "",
        leases: Iterable[str] = (),
    ) -> Case:
        """Let what nobody decided about in time wait once more, as a new submission of the same digest.

        Once it is admitted, and before it waits, `link` is called with its id, a new one where none is given.
        `leases` are recorded with it.

        Raises:
            Problem: as for what is submitted; or what is stored is not what was submitted (409).
        """
        if digest(expired.draft, expired.requester) != expired.digest:
            what = f"the code of {expired.id} is erased, or is not what was submitted"
            raise Problem(409, what, hint="Have it submitted again.")
        async with self._admission.admit(expired.draft, expired.requester):
            revived = revived_submission(expired, id)
            await link(revived.id)
            entry = await self._take_in(revived, lease_data(leases))
        return await self._by_policy(entry)

    async def take_drill(self, draft: Draft, requester: Principal, id: str) -> None:
        """Let a drill wait like any submission: on nobody's quota, and for no pre-approval.

        Where the policy needs nobody to decide, it ends at once, unanswered.
        """
        self._events.require_ready()
        original = self._admission.complete(draft)
        entry = await self._take_in(create_submission(original, requester, original, id), {})
        assessment = entry.case.assessment
        if assessment.deadline_seconds is None or any(match.refuses for match in assessment.matches):
            async with self._queue.exclusive(entry):
                await self._executor.deny(entry, POLICY, DecisionOutcome.REFUSED, "")

    async def _take_in(self, submission: Submission, came_with: dict[str, Any]) -> ActiveSubmission:
        """Record, analyse and classify a submission, and what its request came with."""
        requester = submission.requester
        facts = submission_payload(submission) | came_with
        shared = bool(
            FIELD in came_with and self._events.log.engines
        )  # taken back, the key may go to another engine
        await self._events.record(
            "submission.created", submission.id, requester.name, data=facts, durable=shared
        )
        analysis = await analyse_draft(self._analysis_pool, submission.draft, requester.account)
        await self._events.record(
            "submission.analysed", submission.id, data=analysis_payload(analysis), durable=False
        )
        return await self._classify(submission, analysis)

    async def decide(
        self,
        id: str,
        by: Principal,
        outcome: DecisionOutcome,
        shown: str,
        reason: str = "",
        grant: Grant | None = None,
        review_record: ReviewRecord | None = None,
        comments: tuple[LineComment, ...] = (),
    ) -> Case:
        """Decide about the submission whose digest was `shown`; the last required approval starts its run.

        Raises:
            Problem: the principal may not, it is decided or late, the digest or the grant is wrong, or
                nothing can run.
        """
        if not may(by, Action.DECIDE):
            raise Problem(403, f"{visible(by.name)} is not a reviewer")
        entry = open_entry(self._queue, id)
        async with self._queue.exclusive(entry):
            overdue = self._queue.overdue(entry)
            self._decisions.require_decidable(entry.case, by, outcome, shown, overdue=overdue)
            require_comments(entry.case, outcome, reason, comments)
            if outcome is not DecisionOutcome.APPROVED:
                no = outcome if outcome is DecisionOutcome.CHANGES_REQUESTED else DecisionOutcome.DENIED
                return await self._executor.deny(entry, by, no, reason, review_record, comments)
            await self._decisions.require_reviewed(entry.case, by, review_record)
            given = grant or Grant(permissions=entry.case.submission.draft.permissions)
            return await self._executor.approve(entry, by, reason, given, review_record)

    async def withdraw(self, id: str, by: Principal) -> Case:
        """Withdraw a pending submission for its own requester.

        Raises:
            Problem: it is not pending.
        """
        entry = open_entry(self._queue, id)
        async with self._queue.exclusive(entry):
            if entry.case.status is not Status.PENDING:
                raise Problem(409, f"{id} is not pending: it is {entry.case.status}")
            return await self._executor.deny(entry, by, DecisionOutcome.DENIED, WITHDRAWN)

    async def expired(self, entry: ActiveSubmission) -> None:
        """End a submission that nobody decided before its deadline, unless a disk that hung decided late."""
        async with self._queue.exclusive(entry):
            if entry.case.status is not Status.PENDING:
                return
            most = entry.case.assessment.deadline_seconds or 0.0
            reason = f"nobody decided within {most:g} s"
            with contextlib.suppress(Problem):
                await self._executor.deny(entry, NOBODY, DecisionOutcome.EXPIRED, reason)

    async def abandoned(self, entry: ActiveSubmission) -> None:
        """Withdraw a submission whose clients are all gone."""
        with contextlib.suppress(Problem):
            await self.withdraw(entry.id, entry.case.submission.requester)

    async def withdraw_revoked(self) -> None:
        """Withdraw what waits, or is about to, under tokens that are revoked; refuse what is blocked."""
        for entry in self._queue:
            async with self._queue.exclusive(entry):
                await self._withdraw_revoked(entry)

    async def _withdraw_revoked(self, entry: ActiveSubmission) -> None:
        case = entry.case
        if case.status is not Status.PENDING:
            return
        if blocked := self._admission.blocked(case.submission):
            await self._executor.deny(entry, POLICY, DecisionOutcome.REFUSED, blocked)
        elif not entry.is_drill and not self._admission.entitled(case.submission.requester):
            await self._executor.deny(entry, NOBODY, DecisionOutcome.DENIED, REVOKED)

    def recover(self, case: Case) -> ActiveSubmission:
        """Reopen a submission that an earlier engine left open."""
        entry = self._open(case)
        if case.status is Status.PENDING:
            self._wait_again(entry, case)
        return entry

    def reopen(self, case: Case, more_seconds: float) -> ActiveSubmission:
        """Take in a submission in the state in which another engine left it; this one ends it later."""
        entry = self._queue.find(case.submission.id) or self._open(case)
        if case.status is Status.PENDING:
            self._wait_again(entry, case, more_seconds)
        return entry

    def digest_of(self, draft: Draft, requester: Principal) -> str:
        """Return the digest by which this draft of this requester is known when it comes again."""
        return digest(self._admission.complete(draft), requester)

    def open_twin(self, draft: Draft, requester: Principal) -> Case | None:
        """Return the open submission of the same draft by the same requester, if there is one."""
        same = self.digest_of(draft, requester)
        real = (entry.case for entry in self._queue if not entry.is_drill)
        return next((case for case in real if case.submission.request_digest == same), None)

    def _wait_again(self, entry: ActiveSubmission, case: Case, more_seconds: float = 0.0) -> None:
        """Let a submission wait for the rest of its time.

        A clock that was set back gives it no more time: before its own submission it has expired.
        """
        now = datetime.now(UTC)
        deadline, began = case.deadline or now, case.submission.submitted_at
        most, left = (deadline - began).total_seconds(), (deadline - now).total_seconds()
        if now < began:
            left = 0.0
        self._queue.expire_after(entry, min(most, max(0.0, left)) + more_seconds)

    async def _classify(self, submission: Submission, analysis: Analysis) -> ActiveSubmission:
        policy = self._policy.current
        assessment = assess(
            submission.draft,
            analysis,
            policy,
            weaker_runtime=self._admission.weaker_runtime,
            requester=submission.requester.identity,
        )
        wait = assessment.deadline_seconds
        case = Case(
            submission=submission,
            status=Status.PENDING,
            analysis=analysis,
            assessment=assessment,
            deadline=None if wait is None else datetime.now(UTC) + timedelta(seconds=wait),
        )
        rules = list(dict.fromkeys(match.rule for match in assessment.matches))
        data = {"risk": assessment.risk.value, "rules": rules, "policy": policy.hash}
        entry = self._open(case)
        try:
            async with self._queue.exclusive(entry):  # nobody decides what is not recorded yet
                await self._events.record("submission.assessed", submission.id, data=data, case=case)
        except BaseException:
            self._queue.close(entry)
            raise
        if wait is not None:
            self._queue.expire_after(entry, wait)
        return entry

    def _open(self, case: Case) -> ActiveSubmission:
        id, log = case.submission.id, self._events.log
        entry = self._queue.add(case, lambda offset: log.read.output(id, offset))
        entry.is_drill = self._executor.is_drill(id)
        return entry

    async def _by_policy(self, entry: ActiveSubmission) -> Case:
        """Refuse or approve what needs nobody, and let the rest wait."""
        assessment = entry.case.assessment
        refusing = next((match for match in assessment.matches if match.refuses), None)
        async with self._queue.exclusive(entry):
            await self._withdraw_revoked(entry)  # it may be blocked, or its token revoked meanwhile
            if entry.case.status is not Status.PENDING:
                return entry.case
            if refusing:
                reason = f"the rule {refusing.rule}: {refusing.reason.text}"
                return await self._executor.deny(entry, POLICY, DecisionOutcome.REFUSED, reason)
            if assessment.deadline_seconds is None:
                return await self._approve_low(entry)
            return await self._approve_in_advance(entry)

    async def _approve_low(self, entry: ActiveSubmission) -> Case:
        rules = ", ".join(dict.fromkeys(match.rule for match in entry.case.assessment.matches))
        given = Grant(permissions=entry.case.submission.draft.permissions)
        try:
            return await self._executor.approve(entry, POLICY, f"LOW by the rules {rules}", given)
        except Problem as problem:
            return await self._executor.deny(
                entry, POLICY, DecisionOutcome.REFUSED, f"LOW, and cannot run: {problem}"
            )

    async def _approve_in_advance(self, entry: ActiveSubmission) -> Case:
        """Approve what a pre-approval matches; what cannot run now stays pending."""
        pre_approval = await self._pre_approvals.use(entry.case)
        if pre_approval is None:
            return entry.case
        by = visible(pre_approval.by.name)
        who = f"pre-approval {pre_approval.id} by {by}, given for {pre_approval.basis}"
        with contextlib.suppress(Problem):
            return await self._executor.approve(
                entry, POLICY, who, pre_approval.grant, pre_approval=pre_approval.id
            )
        return entry.case
