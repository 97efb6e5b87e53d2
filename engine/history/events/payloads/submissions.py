"""What events say of a submission."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from engine.history.events.payloads.base import EventPayload
from engine.models import Decision, Digest, Language, Level


class SubmissionCreated(EventPayload):
    """Code came in."""

    type: Literal["submission.created"]
    digest: Digest
    language: Language
    purpose: str = ""


class SubmissionJoined(EventPayload):
    """The same request came again, and got the submission that it had made before."""

    type: Literal["submission.joined"]
    digest: Digest


class SubmissionAnalysed(EventPayload):
    """Code was read."""

    type: Literal["submission.analysed"]
    rules: tuple[str, ...]
    complete: bool
    seconds: float


class SubmissionAssessed(EventPayload):
    """Policy said how risky it is."""

    type: Literal["submission.assessed"]
    risk: Level
    rules: tuple[str, ...]


class ClaimChanged(EventPayload):
    """A reviewer took it, or let go of it."""

    type: Literal["claim.created", "claim.released"]


class DecisionMade(Decision):
    """It was approved, denied or refused, or nobody decided in time."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["decision.made", "decision.expired"]


class FirstApprovalGiven(Decision):
    """It was approved by one reviewer, and another one's approval is still wanted."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["decision.first_approval"]


class SubmissionThrottled(EventPayload):
    """A requester exceeded a rate limit."""

    type: Literal["submission.throttled"]
    reason: str
    retry_after: float


class PreApprovalChanged(EventPayload):
    """A pre-approval was given, rested upon, or taken back."""

    type: Literal["pre_approval.created", "pre_approval.used", "pre_approval.revoked"]
    pre_approval: str
