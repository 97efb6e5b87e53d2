"""Request and response bodies of the HTTP API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from engine.common.text import Untrusted
from engine.models import (
    DecisionOutcome,
    Digest,
    Draft,
    ExpectedOutput,
    FrozenModel,
    Grant,
    InputFile,
    Language,
    Level,
    LineComment,
    MatchMode,
    Package,
    Permissions,
    ReviewRecord,
    Scope,
    Signature,
    Status,
    Stream,
)
from engine.models.comments import MOST_COMMENTS
from engine.models.response import MOST_HOURS, BlockTarget

MOST_AT_ONCE = 200
"""How many submissions are decided or claimed by one request."""
SubmissionId = Annotated[str, Field(pattern=r"^s-[0-9a-z]{1,32}$")]
LEASE = r"^[A-Za-z0-9_-]{16,64}$"
"""A random name that a client chooses."""


class SubmitRequest(FrozenModel):
    """A draft to submit."""

    draft: Draft
    requester: Untrusted = Untrusted("")
    """The name that an agent gives itself over the socket; empty: the owner of the socket."""
    join: bool = False
    """Whether to return an open submission of the same draft instead of creating another one."""
    until_delivered: bool = False
    """Whether `join` also returns one that has ended, until its requester received the result."""
    lease: str = Field("", pattern=LEASE + "|^$")
    """The lease that keeps the submission pending; it is withdrawn some time after the lease ended."""


class CheckpointNotes(FrozenModel):
    """Signed checkpoints from an external witness."""

    notes: tuple[Annotated[str, Field(max_length=1000)], ...] = Field(min_length=1)


class BlockRequest(FrozenModel):
    """Something to block, for how long and why."""

    target: BlockTarget
    hours: float = Field(24, gt=0, le=MOST_HOURS)
    reason: Untrusted = Untrusted("")


class WithdrawRequest(FrozenModel):
    """The withdrawal of a submission."""

    requester: Untrusted = Untrusted("")
    """The requester of the submission; empty: the owner of the socket."""


class ReceiptRequest(FrozenModel):
    """The receipt of a result."""

    kept_seconds: float = Field(0, ge=0, le=3600)
    """How long the same request still returns it, where it is not sure that it was received."""


class LeaseStatus(FrozenModel):
    """Confirms that a lease is held."""

    lease: str


class DecisionRequest(FrozenModel):
    """A decision about the submission with a digest."""

    outcome: DecisionOutcome
    digest: Digest
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None
    review_record: ReviewRecord | None = None
    comments: tuple[LineComment, ...] = Field(
        (), max_length=MOST_COMMENTS, exclude_if=lambda value: not value
    )
    """What is to be changed, line by line, with the outcome `changes_requested`."""
    signature: Signature | None = None
    """The signature of all other fields, if the token requires one."""

    def signed(self, signature: Signature) -> DecisionRequest:
        """Return the decision with its signature."""
        return self._with(signature=signature)


class BulkDecision(FrozenModel):
    """A decision about one of several submissions."""

    id: SubmissionId
    decision: DecisionRequest


class BulkDecisionRequest(FrozenModel):
    """Decisions about several submissions: the same outcome for all; approvals for equivalent ones only."""

    decisions: tuple[BulkDecision, ...] = Field(min_length=1, max_length=MOST_AT_ONCE)


class BulkClaimRequest(FrozenModel):
    """Submissions to claim."""

    ids: tuple[SubmissionId, ...] = Field(min_length=1, max_length=MOST_AT_ONCE)


class AssignmentRequest(FrozenModel):
    """Submissions, and the reviewer whom they are assigned to."""

    ids: tuple[SubmissionId, ...] = Field(min_length=1, max_length=MOST_AT_ONCE)
    to: str = Field("me", description="a reviewer's name; `me`: who asks; empty: nobody", max_length=64)


class PreApprovalRequest(FrozenModel):
    """The scope of a pre-approval."""

    match_mode: MatchMode
    ceiling: Level = Level.HIGH
    uses: int = Field(ge=1)
    days: float = Field(gt=0)


class TokenRequest(FrozenModel):
    """A token to create."""

    name: Untrusted
    scopes: tuple[Scope, ...] = Field(min_length=1)
    person: str = ""
    """Who holds it; empty: somebody known by the name of the token."""
    days: float = Field(30, gt=0, le=3660)
    key: str = Field("", pattern=r"^[0-9a-f]{64}$|^$")
    """The public Ed25519 key that must sign the token's decisions, as hex; empty: none."""


class SecretRequest(FrozenModel):
    """A secret to store. Its value is never returned."""

    host: str
    value: SecretStr


class AnalyseRequest(FrozenModel):
    """Code to analyse without submitting it."""

    code: Untrusted
    language: Language


class CommandCheckRequest(FrozenModel):
    """A command of a coding agent to check before the agent runs it itself."""

    command: Untrusted
    requester: Untrusted = Untrusted("")
    """What the agent is called; over the socket only."""


class OpenPreview(FrozenModel):
    """A preview to open."""

    port: int = Field(8000, ge=1, le=65535)
    """The port of the sandbox's loopback on which the program listens."""


class CreateSession(FrozenModel):
    """A session to create."""

    language: Language = Language.PYTHON
    image: str = Field("", pattern=r"^[a-z][a-z0-9-]{0,31}$|^$")
    """The name of its image; empty: the default of the language."""


class ExecuteRequest(FrozenModel):
    """Code to run in a session, and the permissions that it requests."""

    code: Untrusted
    purpose: Untrusted = Untrusted("")
    files: tuple[InputFile, ...] = ()
    permissions: Permissions = Permissions()
    expect: ExpectedOutput = ExpectedOutput.ANYTHING
    verify: str = Field("", max_length=200)


class InstallPackagesRequest(FrozenModel):
    """Packages to install in a session."""

    packages: tuple[Package, ...] = Field(min_length=1, max_length=64)
    builds: tuple[Untrusted, ...] = ()
    """The names of packages that may run code of their own during the installation."""


class PendingCall(FrozenModel):
    """A call in a session that is pending."""

    id: str
    digest: Digest
    status: Status
    risk: Level
    deadline: datetime | None
    location: str
    """The path of the call's response."""


class OutputLine(FrozenModel):
    """One line of an execution: `text`, `image`, `error` or `status`, with details."""

    text: str | None = None
    stream: Stream | None = None
    image: str | None = None
    """An image, in base64."""
    mime: str | None = None
    error: str | None = None
    status: str | None = None
    id: str | None = None
    exit_code: int | None = None
    seconds: float | None = None


class StreamEnd(FrozenModel):
    """The last line of a stream that the engine ends early; `resume` is the parameter that gets the rest."""

    interrupted: str
    resume: dict[str, int] = Field(default_factory=dict)


class ProblemBody(FrozenModel):
    """A problem (RFC 9457): `title` says what happened, `hint` what to do next."""

    type: str = "about:blank"
    status: int
    title: str
    detail: str = ""
    hint: str = ""
    correlation_id: str = ""
    """The reference of an internal error in the engine log."""


class ChecksRecord(FrozenModel):
    """The self-test or the doctor that ran on this machine."""

    kind: str = Field(pattern="^(selftest|doctor)$")
    total: int = Field(ge=0, le=10_000)
    failed: tuple[Annotated[str, Field(pattern=r"^[\x20-\x7e]{1,200}$")], ...] = Field((), max_length=200)
    """The names of the checks that failed."""


class ExportRecord(FrozenModel):
    """An export of records: what was selected, in which format, and how many submissions."""

    what: Untrusted = Untrusted("")
    format: str = Field(pattern=r"^[a-z0-9-]{1,20}$")
    submissions: int = Field(ge=0, le=1_000_000_000)


class RehearsalRequest(FrozenModel):
    """How a submission is rehearsed."""

    withhold_files: bool = False
    """Whether the code gets none of its input files."""
