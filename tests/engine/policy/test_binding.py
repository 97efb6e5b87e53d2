"""What a decision is bound to."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from engine.common.text import Untrusted
from engine.core.submissions.canonical import digest
from engine.models import (
    Analysis,
    Case,
    Decision,
    DecisionOutcome,
    Draft,
    Grant,
    InputFile,
    Language,
    Limits,
    Permissions,
    Principal,
    Status,
    Submission,
)
from engine.policy import assess, shipped
from engine.policy.binding import analysis_hash, changed
from engine.settings import PolicySettings

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"))
CEILING = PolicySettings().ceiling
IMAGE = "sha256:" + "a" * 64
ASKED = Permissions(files=(Untrusted("a.csv"),), domains=(Untrusted("example.org"),))
DRAFT = Draft(
    code=Untrusted("print(1)"),
    language=Language.PYTHON,
    files=(InputFile(name=Untrusted("a.csv"), content=b"1,2"),),
    permissions=ASKED,
)


def approved(**changes: Any) -> Case:
    """Return an approved case; `changes` are to its decision."""
    now = datetime.now(UTC)
    submission = Submission(
        id="s-1", draft=DRAFT, requester=AGENT, submitted_at=now, digest=digest(DRAFT, AGENT)
    )
    decision = Decision(
        submission="s-1",
        digest=submission.digest,
        outcome=DecisionOutcome.APPROVED,
        by=ADA,
        at=now,
        grant=Grant(permissions=ASKED),
        image=IMAGE,
        policy=shipped("strict").hash,
        analysis=analysis_hash(Analysis()),
    )
    return Case(
        submission=submission,
        status=Status.QUEUED,
        analysis=Analysis(),
        assessment=assess(DRAFT, Analysis(), shipped("strict")),
        decision=decision.model_copy(update=changes),
    )


def differs(case: Case, image: str = IMAGE) -> tuple[str, ...]:
    """Return what has changed, with the digest taken anew from the case."""
    submission = case.submission
    return changed(case, digest(submission.draft, submission.requester), image, CEILING)


def with_draft(**changes: Any) -> Case:
    """Return an approved case whose draft was changed after the approval."""
    case = approved()
    draft = DRAFT.model_copy(update=changes)
    return case.model_copy(update={"submission": case.submission.model_copy(update={"draft": draft})})


def test_what_was_approved_is_unchanged() -> None:
    """Nothing differs where nothing was changed, and the time that an analysis took is nothing."""
    assert () == differs(approved())
    assert analysis_hash(Analysis(seconds=1)) == analysis_hash(Analysis(seconds=2))


@pytest.mark.parametrize(
    "changes",
    [
        {"code": Untrusted("print(2)")},
        {"code": Untrusted("print(1)\n")},
        {"code": Untrusted("print(1)\u200b")},
        {"language": Language.SHELL},
        {"files": (InputFile(name=Untrusted("a.csv"), content=b"1,3"),)},
        {"files": (InputFile(name=Untrusted("b.csv"), content=b"1,2"),)},
        {"files": ()},
        {"files": (*DRAFT.files, InputFile(name=Untrusted("b"), content=b""))},
        {"permissions": ASKED.model_copy(update={"session": True})},
        {"permissions": ASKED.model_copy(update={"limits": Limits(memory_mb=513)})},
        {"permissions": ASKED.model_copy(update={"domains": (Untrusted("example.com"),)})},
        {"permissions": ASKED.model_copy(update={"secrets": (Untrusted("token"),)})},
        {"purpose": Untrusted("other")},
        {"image": "python-data"},
    ],
)
def test_one_change_to_a_draft_is_seen(changes: dict[str, Any]) -> None:
    """One byte of the code or a file, one capability, the language, the purpose: each differs."""
    assert any("digest differs" in told for told in differs(with_draft(**changes)))


@pytest.mark.parametrize(
    ("said", "changes"),
    [
        ("the approval is for s-2", {"submission": "s-2"}),
        ("digest differs", {"digest": "0" * 64}),
        ("there is no approval", {"outcome": DecisionOutcome.DENIED}),
        ("there is no approval", {"grant": None}),
        ("the image is another", {"image": "sha256:" + "b" * 64}),
        ("the analysis is another", {"analysis": "0" * 64}),
        ("domains: 1 that", {"grant": Grant(permissions=Permissions(domains=(Untrusted("x.org"),)))}),
        ("memory_mb: 600 is over", {"grant": Grant(permissions=Permissions(limits=Limits(memory_mb=600)))}),
        ("session", {"grant": Grant(permissions=Permissions(session=True))}),
    ],
)  # fmt: skip
def test_one_change_to_a_decision_is_seen(said: str, changes: dict[str, Any]) -> None:
    """An approval of something else, for another image, or of more than was asked: each differs."""
    assert any(said in told for told in differs(approved(**changes)))


def test_another_image_is_seen() -> None:
    """The image of the sandbox that was got is compared with the one approved."""
    assert ("the image is another than the one approved",) == differs(approved(), "sha256:" + "b" * 64)


def test_without_a_decision_nothing_runs() -> None:
    """A case that nobody decided about differs from every approval."""
    undecided = approved().model_copy(update={"decision": None})
    assert ("there is no approval",) == differs(undecided)


def test_another_requester_is_seen() -> None:
    """The digest covers who asked."""
    case = approved()
    other = case.model_copy(update={"submission": case.submission.model_copy(update={"requester": ADA})})
    assert any("digest differs" in told for told in differs(other))
