"""sessions: whose they are, how many there may be, and that nothing in them passes by the desk."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import (
    Case,
    DecisionOutcome,
    Draft,
    Grant,
    KillReason,
    Language,
    Operation,
    OperationKind,
    Principal,
    Role,
    SessionState,
    Status,
    Stream,
)
from tests.engine.core.conftest import EngineMaker

REVIEWER = Principal(name=Untrusted("rita"), roles=frozenset({Role.REVIEWER}))
ALICE, BOB = (Principal(name=Untrusted(name)) for name in ("alice", "bob"))


@pytest.mark.usefixtures("no_docker")
async def test_to_anybody_but_its_owner_no_session_exists(engine_with: EngineMaker) -> None:
    """Neither looking, running, reading nor closing reaches another's session."""
    async with engine_with() as engine:
        mine = await engine.sessions.create(ALICE, Language.PYTHON)
        assert (mine,) == engine.sessions.list_open(ALICE)
        assert () == engine.sessions.list_open(BOB)
        draft = Draft(code=Untrusted("1"), language=Language.PYTHON, session=mine.id)
        for attempt in (
            engine.submissions.submit(draft, BOB),
            engine.sessions.execute(mine.id, BOB, "1"),
            engine.sessions.read_file(mine.id, BOB, "a"),
            engine.sessions.close(mine.id, BOB),
        ):
            with pytest.raises(Problem, match="no session"):
                await attempt


@pytest.mark.usefixtures("no_docker")
async def test_what_is_done_in_a_session_waits_like_any_run(engine_with: EngineMaker) -> None:
    """Code and a tool call become submissions that ask for the session, and wait."""
    async with engine_with() as engine:
        mine = await engine.sessions.create(ALICE, Language.PYTHON)
        code = await engine.sessions.execute(mine.id, ALICE, "print(1)")
        write = await engine.sessions.write_file(mine.id, ALICE, "a/b.txt", b"hello")
        for case in (code, write):
            assert Status.PENDING is case.status
            assert (mine.id, True) == (
                case.submission.draft.session,
                case.submission.draft.permissions.session,
            )
            await engine.submissions.withdraw(case.submission.id, ALICE)


@pytest.mark.usefixtures("no_docker")
async def test_there_are_as_many_as_there_may_be(engine_with: EngineMaker, home: Path) -> None:
    """Neither one principal nor all together have more than the settings say; a closed one does not count."""
    session = {"pool": 0, "sessions": 2, "sessions_each": 1}
    async with engine_with(sandbox=session) as engine:
        mine = await engine.sessions.create(ALICE, Language.SHELL)
        await engine.sessions.create(BOB, Language.SHELL)
        for who in (ALICE, Principal(name=Untrusted("carol"))):
            with pytest.raises(Problem, match="sessions"):
                await engine.sessions.create(who, Language.SHELL)
        closed = await engine.sessions.close(mine.id, ALICE)
        assert SessionState.CLOSED is closed.state
        await engine.sessions.create(ALICE, Language.SHELL)
        assert ["session.created", "session.closed"] == [
            event.type for event in await engine.queries.trail(mine.id)
        ]


@pytest.mark.usefixtures("no_docker")
@pytest.mark.parametrize(
    "draft",
    [
        Draft(code=Untrusted(""), language=Language.PYTHON, operation=Operation(kind=OperationKind.LIST)),
        Draft(code=Untrusted(""), language=Language.PYTHON, session="ses-0"),
    ],
)
async def test_no_tool_call_floats(engine_with: EngineMaker, draft: Draft) -> None:
    """An operation without a session, and a session that never was, are turned away."""
    async with engine_with() as engine:
        with pytest.raises(Problem):
            await engine.submissions.submit(draft, ALICE)


@pytest.mark.usefixtures("no_docker")
async def test_a_closed_session_runs_nothing(engine_with: EngineMaker) -> None:
    """What is submitted to a closed session is turned away, and says why."""
    async with engine_with() as engine:
        mine = await engine.sessions.create(ALICE, Language.PYTHON)
        await engine.sessions.close(mine.id, ALICE)
        with pytest.raises(Problem, match="closed by its owner"):
            await engine.sessions.execute(mine.id, ALICE, "1")


@pytest.mark.usefixtures("no_docker")
async def test_an_idle_session_is_closed(engine_with: EngineMaker) -> None:
    """A session that nobody uses is closed after its time, and the history says why."""
    session = {"pool": 0, "session_idle_seconds": 0.1}
    async with engine_with(sandbox=session) as engine, asyncio.timeout(60):
        mine = await engine.sessions.create(ALICE, Language.PYTHON)
        while not (ended := [each for each in await engine.queries.trail(mine.id) if "why" in each.data]):
            await asyncio.sleep(0.05)
        assert ["idle for 0.1 s"] == [each.data["why"] for each in ended]
        assert SessionState.CLOSED is engine.sessions.get(mine.id, ALICE).state


async def _approved(engine: Engine, case: Case) -> tuple[Case, bytes]:
    """Approve a case, and return it when it is over, with its standard output."""
    id, shown = case.submission.id, case.submission.digest
    await engine.submissions.decide(id, REVIEWER, DecisionOutcome.APPROVED, shown)
    over = await engine.queries.finished(id, within=90)
    async with contextlib.aclosing(engine.queries.output(id)) as output:
        return over, b"".join([chunk.data async for chunk in output if chunk.stream is Stream.STDOUT])


@pytest.mark.sandbox
async def test_approved_executions_share_their_state(engine_with: EngineMaker) -> None:
    """Code, a write and a read go through the desk one by one, into one session that its owner ends."""
    async with engine_with() as engine:
        await engine.health(settled_within=60)
        box = await engine.sessions.create(ALICE, Language.SHELL)
        await _approved(engine, await engine.sessions.execute(box.id, ALICE, "x=$PWD"))
        await _approved(engine, await engine.sessions.write_file(box.id, ALICE, "a", b"hello"))
        case, said = await _approved(engine, await engine.sessions.execute(box.id, ALICE, "echo $x; cat a"))
        assert (b"/workspace\nhello", Status.FINISHED) == (said, case.status), case.result
        assert b"hello" == (await _approved(engine, await engine.sessions.read_file(box.id, ALICE, "a")))[1]
        now = engine.sessions.get(box.id, ALICE)
        assert (SessionState.READY, 4) == (now.state, len(now.executions))
        await engine.sessions.restart(box.id, ALICE)
        assert (
            b"[]\n" == (await _approved(engine, await engine.sessions.execute(box.id, ALICE, "echo [$x]")))[1]
        )
        late = await engine.sessions.execute(box.id, ALICE, "echo late")
        await engine.sessions.close(box.id, ALICE)
        over, said = await _approved(engine, late)
        assert (b"", Status.KILLED) == (said, over.status)


@pytest.mark.sandbox
async def test_a_grant_without_the_session_runs_nothing(engine_with: EngineMaker) -> None:
    """A reviewer who takes the session away keeps the code out of the session."""
    async with engine_with() as engine:
        await engine.health(settled_within=60)
        box = await engine.sessions.create(ALICE, Language.SHELL)
        case = await engine.sessions.execute(box.id, ALICE, "echo in")
        wanted = case.submission.draft.permissions
        less = Grant(permissions=wanted.model_copy(update={"session": False}))
        digest = case.submission.digest
        await engine.submissions.decide(
            case.submission.id, REVIEWER, DecisionOutcome.APPROVED, digest, grant=less
        )
        over = await engine.queries.finished(case.submission.id, within=60)
        assert over.result is not None
        assert KillReason.POLICY is over.result.kill_reason
