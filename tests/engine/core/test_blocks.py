"""What is blocked is refused, whoever asks and however it is written, until the block ends or is removed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import Case, DecisionOutcome, Draft, Language, Permissions, Principal, Role, Scope, Status
from engine.models.response import BlockKind, BlockTarget, ResponseRequest
from engine.policy.comparison.fingerprint import code_fingerprint
from engine.principals.identity import token_holder
from tests.engine.core.conftest import EngineMaker

ADMIN = Principal(name=Untrusted("root-of-all"), roles=frozenset({Role.ADMIN}))
AUDITOR = Principal(name=Untrusted("eve"), roles=frozenset({Role.AUDITOR}))
AGENT = Principal(name=Untrusted("agent-7"), roles=frozenset({Role.REQUESTER}))
OTHER = Principal(name=Untrusted("agent-8"), roles=frozenset({Role.REQUESTER}))
CODE = "import os\nos.remove('x')\n"


@pytest.fixture
async def engine(engine_with: EngineMaker, no_docker: None) -> AsyncIterator[Engine]:
    """Return an engine that runs nothing."""
    async with engine_with() as made:
        yield made


def target(kind: BlockKind, value: str) -> BlockTarget:
    """Return something to block."""
    return BlockTarget(kind=kind, value=Untrusted(value))


async def submitted(engine: Engine, by: Principal = AGENT, code: str = CODE, host: str = "") -> Case:
    """Return the case of a submission, perhaps with a host."""
    permissions = Permissions(domains=(Untrusted(host),) if host else ())
    draft = Draft(code=Untrusted(code), language=Language.PYTHON, permissions=permissions)
    return await engine.submissions.submit(draft, by)


async def status(engine: Engine, case: Case) -> Status:
    """Return the status of a case now."""
    return (await engine.queries.case(case.submission.id)).status


async def block(engine: Engine, kind: BlockKind, value: str, hours: float = 1) -> str:
    """Block something and return the block's id."""
    return (await engine.revocations.block(target(kind, value), hours, Untrusted("incident 7"), ADMIN)).id


async def test_a_blocked_agent_is_refused_and_no_other(engine: Engine) -> None:
    """What waits of it is refused at once, with the reason; removed, it may submit again."""
    mine, other = await submitted(engine), await submitted(engine, OTHER)
    id = await block(engine, BlockKind.AGENT, "agent-7")
    refused = await engine.queries.case(mine.submission.id)
    assert (Status.REFUSED, Status.PENDING) == (refused.status, await status(engine, other))
    assert refused.decision
    assert id in refused.decision.reason.text
    assert refused.decision.reason.text.endswith("incident 7")
    assert Status.REFUSED is (await submitted(engine, code="print(1)")).status
    await engine.blocks.remove(id, ADMIN)
    assert Status.PENDING is (await submitted(engine)).status


@pytest.mark.parametrize(
    ("blocked", "asked"),
    [
        ("evil.example", "evil.example"), ("EVIL.example", "evil.example"),
        ("*.evil.example", "a.evil.example"), ("a.evil.example", "*.evil.example"),
        ("*.evil.example", "*.a.evil.example"),
        ("*.a.evil.example", "*.evil.example"),
    ],
)  # fmt: skip
async def test_a_blocked_host_is_refused_by_every_pattern_that_has_it(
    engine: Engine, blocked: str, asked: str
) -> None:
    """A wildcard is no way around a block, and neighbours are not blocked."""
    await block(engine, BlockKind.HOST, blocked)
    assert Status.REFUSED is (await submitted(engine, host=asked)).status
    assert Status.PENDING is (await submitted(engine, host="notevil.example")).status


async def test_blocked_code_is_refused_however_it_is_written(engine: Engine) -> None:
    """Comments, blanks and quotation marks do not count, nor who submits it; other code waits."""
    case = await submitted(engine, code="def f(a):\n    open(a).read()\nf('x')\n")
    await block(engine, BlockKind.CODE, code_fingerprint(case.submission.draft))
    assert Status.REFUSED is await status(engine, case)
    rewritten = '# changed\ndef f(a):\n\n  open( a ).read()\nf("x")\n'
    assert Status.REFUSED is (await submitted(engine, OTHER, rewritten)).status
    assert Status.PENDING is (await submitted(engine, OTHER, CODE)).status


async def test_a_blocked_token_authenticates_nobody_until_the_block_is_removed(engine: Engine) -> None:
    """It is unknown while it is blocked, and what waits under it is refused."""
    made = await engine.tokens.create("ci", (Scope.SUBMIT,), 1, ADMIN)
    case = await submitted(engine, token_holder(made.token))
    id = await block(engine, BlockKind.TOKEN, made.token.id)
    assert engine.tokens.known(made.secret) is None
    assert Status.REFUSED is await status(engine, case)
    await engine.blocks.remove(id, ADMIN)
    assert made.token == engine.tokens.known(made.secret)


async def test_a_block_ends_by_itself(engine: Engine) -> None:
    """After its time nothing is refused, and it is listed no more."""
    await block(engine, BlockKind.AGENT, "agent-7", hours=1e-9)
    assert () == engine.blocks.listed()
    assert Status.PENDING is (await submitted(engine)).status


async def test_blocks_and_responses_survive_the_engine(engine_with: EngineMaker, no_docker: None) -> None:
    """They are read from the history at the next start; the history stays intact."""
    request = ResponseRequest(query="agent:agent-7", block=(target(BlockKind.AGENT, "agent-7"),))
    async with engine_with() as engine:
        made = await engine.responses.carry_out(request, ADMIN)
    async with engine_with() as engine:
        assert [made.id] == [one.response for one in engine.blocks.listed()]
        assert Status.REFUSED is (await submitted(engine)).status
        undone = await engine.responses.undo(made.id, ADMIN)
        assert (True, ()) == (undone.undone, undone.problems)
    async with engine_with() as engine:
        assert () == engine.blocks.listed()
        assert [True] == [one.undone for one in engine.responses.listed()]
        assert (await engine.queries.verify()).intact


async def test_who_may_not_decide_may_not_respond(engine: Engine) -> None:
    """An auditor and an agent block nothing and undo nothing."""
    request = ResponseRequest(block=(target(BlockKind.AGENT, "agent-7"),))
    for by in (AUDITOR, AGENT):
        with pytest.raises(Problem, match="not a reviewer"):
            await engine.revocations.block(request.block[0], 1, Untrusted(""), by)
        with pytest.raises(Problem, match="not a reviewer"):
            await engine.responses.carry_out(request, by)
        with pytest.raises(Problem, match="not a reviewer"):
            await engine.responses.undo("r-1", by)
    assert () == engine.blocks.listed()


async def test_a_plan_offers_what_the_submissions_have(engine: Engine) -> None:
    """Agents, hosts and code of what a query finds, and what waits; nothing is done."""
    case = await submitted(engine, host="evil.example")
    await submitted(engine, OTHER)
    plan = await engine.responses.plan("agent:agent-7")
    found = {(one.kind, one.value.text) for one in plan.targets}
    assert {
        (BlockKind.AGENT, "agent-7"),
        (BlockKind.HOST, "evil.example"),
        (BlockKind.CODE, code_fingerprint(case.submission.draft)),
    } == found
    assert (1, (case.submission.id,), ()) == (plan.total.count, plan.waiting, plan.running)
    assert () == engine.blocks.listed()


async def test_nothing_chosen_is_no_response(engine: Engine) -> None:
    """An empty response is refused; undoing what is not there, too."""
    with pytest.raises(Problem, match="nothing was chosen"):
        await engine.responses.carry_out(ResponseRequest(query="risk:low"), ADMIN)
    with pytest.raises(Problem, match="no response"):
        await engine.responses.undo("r-1", ADMIN)
    with pytest.raises(Problem, match="no block"):
        await engine.blocks.remove("b-1", ADMIN)


async def test_an_approval_does_not_outrun_a_block(engine: Engine) -> None:
    """What was refused because of a block cannot be approved afterwards."""
    case = await submitted(engine)
    await block(engine, BlockKind.AGENT, "agent-7")
    with pytest.raises(Problem):
        await engine.submissions.decide(
            case.submission.id, ADMIN, DecisionOutcome.APPROVED, case.submission.digest
        )
