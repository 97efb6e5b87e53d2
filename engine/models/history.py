"""Answers about the history: trends, help with filters, erasures, verification."""

from __future__ import annotations

from typing import Literal

from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel, Level
from engine.models.event import Verification


class DecisionTimes(FrozenModel):
    """How long submissions of one risk waited for a person, in seconds."""

    count: int
    p50: float
    p95: float


class Trends(FrozenModel):
    """Metrics of a period."""

    submissions: int
    runs: int
    kills_by_hour: dict[str, dict[str, int]]
    """By hour (`2026-11-21T06`) and kill reason."""
    memory_share: float
    memory_alert: bool
    """Whether more runs than 2 in 100 were killed for memory."""
    decision_seconds: dict[Level, DecisionTimes]
    expired_share: float
    hasty_share: float
    """Approvals by people in under three seconds, among all approvals by people."""
    busiest: dict[str, int]


class Erasure(FrozenModel):
    """A content of a submission that the rules of retention have erased."""

    what: Literal["code", "file", "output", "artifact"]
    digest: Digest
    rule: str
    """The rule by which it was erased."""
    name: Untrusted = Untrusted("")
    """Of a file or an artifact."""
    partly: bool = False
    """Whether other pieces of the output are still there."""


class FilterHelp(FrozenModel):
    """What a filter may become, and where it cannot be understood."""

    completions: tuple[str, ...]
    position: int | None = None
    """The character (from 0) at which it is wrong; None where it is right."""
    problem: str = ""
    hint: str = ""


class VerificationProgress(FrozenModel):
    """Progress of a verification; the last one carries its result."""

    done: int
    total: int
    found: Verification | None = None
