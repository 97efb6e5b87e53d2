"""What a run gives back through the engine: its files, the value that was expected, the judged assertion."""

from __future__ import annotations

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import (
    AssertionOutcome,
    Case,
    DecisionOutcome,
    Draft,
    ExpectedOutput,
    Language,
    Principal,
    Role,
)
from tests.engine.core.conftest import EngineMaker

ALICE = Principal(name=Untrusted("alice"))
REVIEWER = Principal(name=Untrusted("rita"), roles=frozenset({Role.REVIEWER}))


async def done(engine: Engine, code: str, **more: object) -> Case:
    """Submit code, approve it, and return its case when it is over."""
    draft = Draft(code=Untrusted(code), language=Language.PYTHON).model_copy(update=more)
    case = await engine.submissions.submit(draft, ALICE)
    id, shown = case.submission.id, case.submission.digest
    await engine.submissions.decide(id, REVIEWER, DecisionOutcome.APPROVED, shown)
    return await engine.queries.finished(id, within=90)


@pytest.mark.sandbox
async def test_files_and_values_come_back(engine_with: EngineMaker) -> None:
    """A file is fetched by name and by hash after the run, and what was asserted of the output is judged."""
    async with engine_with() as engine:
        await engine.health(settled_within=60)
        code = "open('out.bin', 'wb').write(bytes(range(256)))\nprint('sum', 42.5)"
        case = await done(engine, code, expect=ExpectedOutput.NUMBER, verify="value == 42.5 within 1e-9")
        assert case.result is not None
        (left,) = case.result.artifacts
        for name in ("out.bin", left.digest):
            assert bytes(range(256)) == await engine.artifacts.fetch(case.submission.id, name)
        assert (Untrusted("42.5"), AssertionOutcome.VERIFIED) == (case.result.value, case.result.verified)
        with pytest.raises(Problem, match="has no artifact"):
            await engine.artifacts.fetch(case.submission.id, "../etc/passwd")
        failing = await done(engine, "print(1)\nraise SystemExit(3)", verify="value == 1")
        assert failing.result is not None
        assert AssertionOutcome.UNDECIDED is failing.result.verified
        assert (await engine.queries.verify()).intact


@pytest.mark.usefixtures("no_docker")
async def test_an_assertion_that_nobody_can_read_is_turned_away(engine_with: EngineMaker) -> None:
    """It is told when it comes in, not after the run."""
    async with engine_with() as engine:
        draft = Draft(code=Untrusted("1"), language=Language.PYTHON, verify="value is nice")
        with pytest.raises(Problem, match="cannot be read"):
            await engine.submissions.submit(draft, ALICE)
