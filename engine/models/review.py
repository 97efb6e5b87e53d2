"""What reviewers see of the queue, and what they do to several submissions at once."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.analysis import Verdict
from engine.models.base import Digest, FrozenModel, Level
from engine.models.case import Status
from engine.models.comments import CommentReply, LineComment
from engine.models.decision import Claim, Decision, ReviewRecord
from engine.models.history import Summary


class FileChange(StrEnum):
    """What became of the code, or of an input file, in a revision."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


class FileDifference(FrozenModel):
    """How one file of a revision differs from that of the submission that it revises."""

    file: Untrusted = Untrusted("")
    """The name of an input file; empty: the code."""
    change: FileChange
    diff: Untrusted = Untrusted("")
    """In the unified format; empty where nothing changed, or it is no text."""


class AnsweredComment(FrozenModel):
    """A comment on the earlier submission, and what became of it."""

    number: int
    """0 is the general comment."""
    text: Untrusted
    comment: LineComment | None = None
    reply: Untrusted | None = None
    """What the agent replies; None where it says nothing."""
    lines_changed: bool = False
    """Whether one of the lines that the comment is about is another one, or gone."""


class Revision(FrozenModel):
    """What a submission changes in the one that it revises."""

    revises: str
    files: tuple[FileDifference, ...]
    """The code first, then every input file of either."""
    comments: tuple[AnsweredComment, ...] = ()
    carried: ReviewRecord | None = None
    """What the reviewer who asks had on screen of the earlier one, and did not change: with their record."""


class ThreadEntry(FrozenModel):
    """One submission of a thread of revisions: what was submitted, and what was answered."""

    id: str
    at: datetime
    status: Status
    purpose: Untrusted = Untrusted("")
    replies: tuple[CommentReply, ...] = ()
    decision: Decision | None = None


class QueueEntry(FrozenModel):
    """One submission of the review queue: what helps to choose the next one."""

    summary: Summary
    level_reason: Untrusted
    """Why it has its level, in one sentence."""
    purpose: Untrusted = Untrusted("")
    verdict: Verdict
    worst: Level | None = None
    """The severity of its gravest violation."""
    unproven: int = 0
    """How many places of its code are not proven harmless."""
    asks: int = 0
    """How many permissions it requests: hosts, packages, input files, secrets, builds, a session, limits."""
    secrets: int = 0
    """How many secrets it requests."""
    claim: Claim | None = None
    """Who claims it, and until when; a claim that has lapsed is not shown."""
    assigned: Untrusted = Untrusted("")
    """The reviewer whom it is assigned to; empty: nobody."""
    assigned_to_me: bool = False
    """Whether that is who asks."""
    group: Digest
    """Equal for submissions whose code and request differ in nothing that a run could show."""
    identical: Digest
    """Equal for submissions whose code, request and purpose are the same, byte for byte."""
    revises: str = Field("", description="the submission that it revises")


class BulkAnswer(FrozenModel):
    """What became of one submission among several."""

    id: str
    status: Status | None = None
    """Its status now; None where it was left as it is."""
    problem: str = ""
    """Why it was left as it is; empty where it was not."""
