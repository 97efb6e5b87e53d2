"""Payloads of events about submissions."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from engine.history.events.payloads.base import EventPayload
from engine.models import Decision, Digest, Language, Level


class SubmissionCreatedPayload(EventPayload):
    """Code was submitted."""

    type: Literal["submission.created"]
    digest: Digest
    language: Language
    purpose: str = ""


class SubmissionJoinedPayload(EventPayload):
    """The same request came again, and got the earlier submission."""

    type: Literal["submission.joined"]
    digest: Digest


class SubmissionAnalysedPayload(EventPayload):
    """Code was analysed."""

    type: Literal["submission.analysed"]
    rules: tuple[str, ...]
    complete: bool
    seconds: float


class SubmissionAssessedPayload(EventPayload):
    """Policy assessed its risk."""

    type: Literal["submission.assessed"]
    risk: Level
    rules: tuple[str, ...]


class ClaimChangedPayload(EventPayload):
    """A reviewer claimed or released it."""

    type: Literal["claim.created", "claim.released"]


class AssignmentChangedPayload(EventPayload):
    """A reviewer assigned it to somebody, or to nobody."""

    type: Literal["assignment.made", "assignment.removed"]
    to: str


class SubmissionExtendedPayload(EventPayload):
    """A reviewer gave it more time."""

    type: Literal["submission.extended"]
    until: str


class SubmissionRevivedPayload(EventPayload):
    """A reviewer let an expired submission wait again, as a new one."""

    type: Literal["submission.revived"]
    revived_as: str


class DecisionMadePayload(Decision):
    """It was approved, denied or refused, or it expired."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["decision.made", "decision.expired"]


class DrillEndedPayload(EventPayload):
    """It was a drill, and has ended. `answer` is the digest of what a reviewer answered, if one did."""

    type: Literal["drill.ended"]
    drill: str
    what: str
    answered: bool
    answer: Digest


class FirstApprovalGivenPayload(Decision):
    """One reviewer approved it; a second approval is required."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["decision.first_approval"]


class SubmissionThrottledPayload(EventPayload):
    """A requester exceeded a limit, and received the time to retry."""

    type: Literal["submission.throttled"]
    reason: str
    retry_after: float


class PreApprovalChangedPayload(EventPayload):
    """A pre-approval was created, used or revoked."""

    type: Literal["pre_approval.created", "pre_approval.used", "pre_approval.revoked"]
    pre_approval: str
