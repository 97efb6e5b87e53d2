"""Rows of the history and answers about it: summaries, counts, trends, erasures, verification."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel, Language, Level
from engine.models.case import Status
from engine.models.event import Verification
from engine.models.run import KillReason


class Summary(FrozenModel):
    """One line about a submission, for queues and histories."""

    id: str
    digest: Digest
    status: Status
    risk: Level
    language: Language
    requester: Untrusted
    first_line: Untrusted
    lines: int
    violations: int
    submitted_at: datetime
    deadline: datetime | None = None
    reviewer: Untrusted = Untrusted("")
    kill_reason: KillReason | None = None
    exit_code: int | None = None
    duration: float | None = None
    memory_peak: int | None = None


class Facets(FrozenModel):
    """How many submissions there are of each kind."""

    total: int
    exact: bool
    """False where more fit than were counted."""
    counts: dict[str, dict[str, int]]
    """By kind (`risk`, `status`, `kill`, `lang`, `day`, `requester`) and value: the most frequent first, of
    days the latest."""


class Total(FrozenModel):
    """How many submissions match a query."""

    count: int
    exact: bool
    """False where it is at least so many."""


class Counts(FrozenModel):
    """How many submissions that match a query have each value of one field."""

    field: str
    exact: bool
    """False where only the newest were counted."""
    counts: dict[str, int]
    """The most frequent first."""


class DecisionTimes(FrozenModel):
    """How long submissions of one risk waited for a person, in seconds."""

    count: int
    p50: float
    p95: float


MEMORY_ALERT = 0.02
"""The share of runs killed for memory from which on there is an alert."""


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
