"""Runs of what was approved, and of nothing else: one change between the approval and the run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterator

import pytest

from engine.common.text import Untrusted
from engine.core import Engine
from engine.core.queue import ActiveSubmission
from engine.models import (
    Case,
    DecisionOutcome,
    Draft,
    Grant,
    InputFile,
    KillReason,
    Language,
    Limits,
    Permissions,
    Principal,
    Role,
    Status,
)
from tests.engine.core.conftest import EngineMaker

pytestmark = pytest.mark.sandbox

AGENT = Principal(name=Untrusted("agent"))
ADA = Principal(name=Untrusted("ada"), roles=frozenset({Role.REVIEWER}))
DRAFT = Draft(
    code=Untrusted("print(open('a.csv').read())"),
    language=Language.PYTHON,
    files=(InputFile(name=Untrusted("a.csv"), content=b"1,2"),),
)
SECONDS = 60


def in_draft(case: Case, **changes: object) -> Case:
    """Return a case with another draft."""
    draft = case.submission.draft.model_copy(update=changes)
    return case.model_copy(update={"submission": case.submission.model_copy(update={"draft": draft})})


def in_decision(case: Case, **changes: object) -> Case:
    """Return a case with another decision."""
    assert case.decision is not None
    return case.model_copy(update={"decision": case.decision.model_copy(update=changes)})


TAMPERED: dict[str, Callable[[Case], Case]] = {
    "code": lambda case: in_draft(case, code=Untrusted("print(open('b.csv').read())")),
    "file": lambda case: in_draft(case, files=(InputFile(name=Untrusted("a.csv"), content=b"1,3"),)),
    "permission": lambda case: in_draft(case, permissions=Permissions(session=True)),
    "grant": lambda case: in_decision(case, grant=Grant(permissions=Permissions(limits=Limits(seconds=29)))),
    "image": lambda case: in_decision(case, image="sha256:" + "0" * 64),
    "signature": lambda case: in_decision(case, signature=None),
    "approval": lambda case: case.model_copy(update={"decision": None}),
}


async def approve(engine: Engine) -> Case:
    """Submit the draft and approve it, and return the case as it was queued."""
    case = await engine.submissions.submit(DRAFT, AGENT)
    return await engine.submissions.decide(
        case.submission.id, ADA, DecisionOutcome.APPROVED, case.submission.digest
    )


class TamperingRuns:
    """Starts runs after changing what was approved."""

    def __init__(self, engine: Engine, change: Callable[[Case], Case]) -> None:
        self._engine = engine
        self._change = change

    @contextlib.contextmanager
    def starting(self, entry: ActiveSubmission, approved: Case) -> Iterator[None]:
        """Run it, after changing what was approved once that is recorded."""
        with self._engine.runs.starting(entry, approved):
            yield
            entry.case = self._change(entry.case)

    async def close_interrupted(self, entry: ActiveSubmission) -> None:
        """Close it without a change."""
        await self._engine.runs.close_interrupted(entry)


def tamper(engine: Engine, change: Callable[[Case], Case]) -> None:
    """Change every submission of an engine after its approval."""
    engine.submissions._executor._runs = TamperingRuns(engine, change)


async def test_what_was_approved_runs_in_its_image(engine_with: EngineMaker) -> None:
    """An approval names the image, carries a signature, and its run is of that image."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        case = await engine.queries.finished((await approve(engine)).submission.id)
        assert case.decision is not None
        assert case.result is not None
        assert (Status.FINISHED, 0) == (case.status, case.result.exit_code)
        assert case.decision.image == case.result.image_digest
        assert engine._keys.holds(case.decision)


@pytest.mark.parametrize("what", TAMPERED)
async def test_one_change_after_the_approval_is_refused(engine_with: EngineMaker, what: str) -> None:
    """Nothing of it runs: it is killed by policy, on record, and no code went into a sandbox."""
    async with engine_with() as engine, asyncio.timeout(SECONDS):
        tamper(engine, TAMPERED[what])
        case = await engine.queries.finished((await approve(engine)).submission.id)
        types = [event.type for event in await engine.queries.trail(case.submission.id)]
        assert case.result is not None
        assert KillReason.POLICY is case.result.kill_reason
        assert "run.refused" in types
        assert "run.started" not in types
