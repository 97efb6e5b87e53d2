"""What reviewers see of the queue, and what they do to several submissions at once."""

from __future__ import annotations

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.analysis import Verdict
from engine.models.base import Digest, FrozenModel, Level
from engine.models.decision import Claim
from engine.models.history import Summary


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
    group: Digest
    """Equal for submissions whose code and request differ in nothing that a run could show."""
    identical: Digest
    """Equal for submissions whose code, request and purpose are the same, byte for byte."""
    revises: str = Field("", description="the submission that it revises")
