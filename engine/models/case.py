"""Everything known about one submission, and a line about each."""

from __future__ import annotations

import operator
from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.models.analysis import Analysis
from engine.models.base import FrozenModel
from engine.models.decision import Assessment, Assignment, Claim, Decision
from engine.models.run import Display, KillReason, Result
from engine.models.submission import Submission


class Status(StrEnum):
    """The status of a submission: pending before the decision, queued and running after an approval."""

    PENDING = "pending"
    DENIED = "denied"
    CHANGES_REQUESTED = "changes_requested"
    EXPIRED = "expired"
    REFUSED = "refused"
    QUEUED = "queued"
    RUNNING = "running"
    FINISHED = "finished"
    KILLED = "killed"
    DRILL = "drill"
    """It was a drill, which has ended; while it waits it is pending like any other."""


OPEN = frozenset({Status.PENDING, Status.QUEUED, Status.RUNNING})
"""A submission that is not over."""

NOT_RUN = frozenset({Status.DENIED, Status.CHANGES_REQUESTED, Status.EXPIRED, Status.REFUSED, Status.DRILL})
"""How a submission is over that never ran."""


class Case(FrozenModel):
    """Everything known about one submission.

    The run of a submission has the submission's id: one approval, one run.
    """

    submission: Submission
    status: Status
    analysis: Analysis
    assessment: Assessment
    deadline: datetime | None = None
    decision: Decision | None = None
    reviews: tuple[Decision, ...] = ()
    """Approvals given while another reviewer's is still required."""
    claim: Claim | None = None
    assigned: Assignment | None = Field(
        None, description="the reviewer whom it is meant for", exclude_if=operator.not_
    )
    started_at: datetime | None = None
    displays: tuple[Display, ...] = ()
    """What a notebook has shown so far; once the run is over, its result says."""
    result: Result | None = None
    revived_as: str = Field(
        "", description="the submission that an expired one waits again as", exclude_if=operator.not_
    )

    drill: str = Field(
        "", description="what was bad about it, where it was a drill that has ended", exclude_if=operator.not_
    )

    def as_drill(self, what: str) -> Case:
        """Return the case over, as the drill that it was."""
        return self._with(status=Status.DRILL, drill=what, claim=None)

    def with_revival(self, id: str) -> Case:
        """Return the expired case, which waits again as the submission of that id."""
        return self._with(revived_as=id)

    def with_submission(self, submission: Submission) -> Case:
        """Return the case with its submission, whose code and files are stored apart."""
        return self._with(submission=submission)

    def with_claim(self, claim: Claim | None) -> Case:
        """Return the case claimed by a reviewer, or released."""
        return self._with(claim=claim)

    def with_assignment(self, assigned: Assignment | None) -> Case:
        """Return the case assigned to a reviewer, or to nobody."""
        return self._with(assigned=assigned)

    def with_deadline(self, deadline: datetime) -> Case:
        """Return the case with another deadline."""
        return self._with(deadline=deadline)

    def with_first_approval(self, decision: Decision) -> Case:
        """Return the case approved by one reviewer, pending another one's approval."""
        return self._with(reviews=(*self.reviews, decision), claim=None)

    def with_proof(self, analysis: Analysis, assessment: Assessment) -> Case:
        """Return the case with what a rehearsal proved."""
        return self._with(analysis=analysis, assessment=assessment)

    def with_decision(self, decision: Decision, status: Status) -> Case:
        """Return the case decided."""
        return self._with(decision=decision, status=status, claim=None)

    def with_run_started(self, at: datetime) -> Case:
        """Return the case running."""
        return self._with(status=Status.RUNNING, started_at=at)

    def with_display(self, display: Display) -> Case:
        """Return the case with another display of its notebook."""
        return self._with(displays=(*self.displays, display))

    def with_result(self, result: Result) -> Case:
        """Return the case with the result of its run, finished or killed."""
        status = Status.FINISHED if result.kill_reason is KillReason.NONE else Status.KILLED
        return self._with(status=status, result=result, displays=())


class SimilarSubmission(FrozenModel):
    """The approved submission whose code is most similar to that of another one."""

    id: str
    similarity: float = Field(ge=0, le=1)
    """1 where only names of local variables, comments and white space differ."""
