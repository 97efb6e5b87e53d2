"""Sandboxes that stay: whose they are, how many there may be, and that nothing in them passes by the desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.models import Act, Draft, Language, Operation, Principal, SandboxState, Status
from engine.problem import Problem
from engine.text import Untrusted
from tests.engine.service.conftest import EngineMaker

ALICE, BOB = (Principal(name=Untrusted(name)) for name in ("alice", "bob"))
pytestmark = pytest.mark.usefixtures("no_docker")


async def test_to_anybody_but_its_owner_no_sandbox_exists(engine_with: EngineMaker) -> None:
    """Neither looking, running, reading nor destroying reaches another's sandbox."""
    async with engine_with() as engine:
        mine = await engine.sandboxes.create(ALICE, Language.PYTHON)
        assert (mine,) == engine.sandboxes.listed(ALICE)
        assert () == engine.sandboxes.listed(BOB)
        draft = Draft(code=Untrusted("1"), language=Language.PYTHON, sandbox=mine.id)
        for attempt in (
            engine.desk.submit(draft, BOB),
            engine.sandboxes.execute(mine.id, BOB, "1"),
            engine.sandboxes.read(mine.id, BOB, "a"),
            engine.sandboxes.destroy(mine.id, BOB),
        ):
            with pytest.raises(Problem, match="no sandbox"):
                await attempt


async def test_what_is_done_in_a_sandbox_waits_like_any_run(engine_with: EngineMaker) -> None:
    """Code and a tool call become submissions that ask for the session, and wait."""
    async with engine_with() as engine:
        mine = await engine.sandboxes.create(ALICE, Language.PYTHON)
        code = await engine.sandboxes.execute(mine.id, ALICE, "print(1)")
        write = await engine.sandboxes.write(mine.id, ALICE, "a/b.txt", b"hello")
        for case in (code, write):
            assert Status.WAITING is case.status
            assert (mine.id, True) == (
                case.submission.draft.sandbox,
                case.submission.draft.capabilities.session,
            )
            await engine.desk.withdraw(case.submission.id, ALICE)


async def test_there_are_as_many_as_there_may_be(engine_with: EngineMaker, home: Path) -> None:
    """Neither one principal nor all together have more than the settings say; a destroyed one counts not."""
    sandbox = {"pool": 0, "sessions": 2, "sessions_each": 1}
    async with engine_with(sandbox=sandbox) as engine:
        mine = await engine.sandboxes.create(ALICE, Language.SHELL)
        await engine.sandboxes.create(BOB, Language.SHELL)
        for who in (ALICE, Principal(name=Untrusted("carol"))):
            with pytest.raises(Problem, match="sandboxes"):
                await engine.sandboxes.create(who, Language.SHELL)
        gone = await engine.sandboxes.destroy(mine.id, ALICE)
        assert SandboxState.GONE is gone.state
        await engine.sandboxes.create(ALICE, Language.SHELL)
        assert ["sandbox.opened", "sandbox.closed"] == [event.type for event in await engine.trail(mine.id)]


@pytest.mark.parametrize(
    "draft",
    [
        Draft(code=Untrusted(""), language=Language.PYTHON, operation=Operation(act=Act.LIST)),
        Draft(code=Untrusted(""), language=Language.PYTHON, sandbox="b-0"),
    ],
)
async def test_no_tool_call_floats(engine_with: EngineMaker, draft: Draft) -> None:
    """An operation without a sandbox, and a sandbox that never was, are turned away."""
    async with engine_with() as engine:
        with pytest.raises(Problem):
            await engine.desk.submit(draft, ALICE)


async def test_a_gone_sandbox_runs_nothing(engine_with: EngineMaker) -> None:
    """What is submitted to a destroyed sandbox is turned away, and says why."""
    async with engine_with() as engine:
        mine = await engine.sandboxes.create(ALICE, Language.PYTHON)
        await engine.sandboxes.destroy(mine.id, ALICE)
        with pytest.raises(Problem, match="destroyed by its owner"):
            await engine.sandboxes.execute(mine.id, ALICE, "1")
