"""Real histories on a real disk, and the cases that go into them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.history.store.sqlite.store import SqliteHistoryStore
from engine.models import (
    Analysis,
    Assessment,
    Case,
    Decision,
    DecisionOutcome,
    Draft,
    InputFile,
    KillReason,
    Language,
    Level,
    Principal,
    Result,
    RuleMatch,
    Status,
    Submission,
)
from engine.settings import HistorySettings

MakeCase = Callable[..., Case]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the history of a test lies."""
    return tmp_path / "state" / "pratique.db"


@pytest.fixture
def settings() -> HistorySettings:
    """Settings with short deadlines."""
    return HistorySettings(batch_milliseconds=20)


@pytest.fixture
async def log(path: Path, settings: HistorySettings) -> AsyncIterator[SqliteHistoryStore]:
    """An open, empty history."""
    opened = await SqliteHistoryStore.open(path, settings)
    yield opened
    await opened.close()


@pytest.fixture
def make_case() -> MakeCase:
    """Return a maker of cases, each field with a plain default."""
    return build_case


def build_case(
    id: str = "s1",
    code: str = "print(1)\n",
    *,
    files: tuple[InputFile, ...] = (),
    status: Status = Status.PENDING,
    risk: Level = Level.LOW,
    language: Language = Language.PYTHON,
    requester: str = "agent",
    reviewer: str = "",
    submitted_at: datetime | None = None,
    **result: Any,
) -> Case:
    """Return a case; `result` fields make it one that ran."""
    asked = Principal(name=Untrusted(requester))
    submission = Submission(
        id=id,
        draft=Draft(code=Untrusted(code), language=language, files=files),
        requester=asked,
        submitted_at=submitted_at or datetime(2026, 11, 21, 6, 0, tzinfo=UTC),
        digest="ab" * 32,
    )
    return Case(
        submission=submission,
        status=status,
        analysis=Analysis(),
        assessment=Assessment(
            risk=risk, matches=(RuleMatch(rule="r", level=risk, reason=Untrusted("x")),), deadline_seconds=60
        ),
        decision=_decision(submission, reviewer) if reviewer else None,
        result=_result(**result) if result else None,
    )


def _decision(submission: Submission, reviewer: str) -> Decision:
    return Decision(
        submission=submission.id,
        digest=submission.digest,
        outcome=DecisionOutcome.APPROVED,
        by=Principal(name=Untrusted(reviewer)),
        at=submission.submitted_at,
    )


def _result(**given: Any) -> Result:
    plain = Result(
        exit_code=0,
        kill_reason=KillReason.NONE,
        duration=1.5,
        memory_peak=1 << 20,
        stdout_bytes=0,
        stderr_bytes=0,
        truncated=False,
        image_digest="sha256:0",
        runtime="runsc",
    )
    return plain.model_copy(update=given)
