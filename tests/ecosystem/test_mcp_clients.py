"""Clients of MCP that others wrote, unchanged: decisions, output and files reach their agents."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncIterator, Iterator
from itertools import count

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Case, DecisionOutcome, LineComment, Status
from tests.ecosystem.answers import OPEN
from tests.ecosystem.mcp_clients import CLIENTS, Answer, Conversation, ForeignClient, talking
from tests.ecosystem.patience import DEADLINES
from tests.engine.server.test_mcp_stdio import registered
from tests.engine_process import EngineProcess

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
LEAVES = f"""import base64
open('table.csv', 'w').write('a,b\\n1,2\\n')
open('dot.png', 'wb').write(base64.b64decode('{PNG}'))
print(6 * 7)
"""
SPINS = "import time\nprint('begun', flush=True)\ntime.sleep(600)\n"
LONG = "PRATIQUE_TESTS_PATIENCE"
"""Set to 60, clients with a time-out of a minute are tested, too."""
MOST_CALLS = 60
_NUMBERS = count(1)

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield a running engine in which nothing expires while a slow machine runs all clients."""
    process = EngineProcess(tmp_path_factory.mktemp("home"), **DEADLINES)
    process.start()
    yield process
    process.end()


@pytest.fixture
async def operator(engine: EngineProcess) -> AsyncIterator[Client]:
    """Yield the person who decides."""
    async with engine.client("operator") as operator:
        yield operator


async def waiting(operator: Client, agent: str, *, status: Status = Status.PENDING) -> Case:
    """Return the one case of an agent that is open, once it has a status."""
    async with asyncio.timeout(60):
        while True:
            for row in await operator.queue():
                if row.status is status and row.requester.text == agent:
                    return await operator.case(row.id)
            await asyncio.sleep(0.2)


async def decide(operator: Client, agent: str, outcome: DecisionOutcome, reason: str = "") -> Case:
    """Decide about the case of an agent once it waits."""
    case = await waiting(operator, agent)
    changes = outcome is DecisionOutcome.CHANGES_REQUESTED
    comments = (LineComment(first=1, last=1, text=Untrusted("use 8")),) if changes else ()
    submission = case.submission
    return await operator.decide(submission.id, outcome, submission.digest, reason, comments=comments)


async def ended(agent: Conversation, code: str, purpose: str) -> Answer:
    """Call as a model does: again until the answer is not that it waits."""
    answer = await answered(agent, code, purpose)
    for _ in range(MOST_CALLS):
        if answer.status in OPEN:
            answer = await agent.call("code_result", id=answer.id)
        elif not answer.status:
            answer = await answered(agent, code, purpose)
    return answer


async def answered(agent: Conversation, code: str, purpose: str) -> Answer:
    """Call until there is an answer, and not a time-out."""
    answer = await agent.call("code_execute", code=code, purpose=purpose)
    for _ in range(MOST_CALLS):
        if answer.status:
            break
        assert re.search("time", answer.text, re.IGNORECASE), answer.text
        answer = await agent.call("code_execute", code=code, purpose=purpose)
    return answer


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
async def test_what_a_person_decides_reaches_the_agent(
    engine: EngineProcess, operator: Client, client: ForeignClient
) -> None:
    """Approved: output, pictures and files. Denied, sent back or killed: why, and it is marked a failure."""
    name = await registered(engine, operator, f"agent-{next(_NUMBERS)}")
    async with talking(client, engine, name) as agent:
        await _approved(agent, operator, client)
        await _denied(agent, operator, client)
        await _sent_back(agent, operator)
        await _killed(agent, operator, client)


async def _approved(agent: Conversation, operator: Client, client: ForeignClient) -> None:
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(ended(agent, LEAVES, "approved"))
        await decide(operator, agent.agent, DecisionOutcome.APPROVED)
    answer = call.result()
    assert ("finished", False) == (answer.status, answer.failed), answer.text
    assert "42\n" in answer.text.replace("\\n", "\n")
    assert int(client.pictures) == answer.pictures
    table = await agent.call("code_read_artifact", id=answer.id, name="table.csv")
    assert "a,b\n1,2" in table.text.replace("\\n", "\n")


async def _denied(agent: Conversation, operator: Client, client: ForeignClient) -> None:
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(ended(agent, "print(1)", "denied"))
        await decide(operator, agent.agent, DecisionOutcome.DENIED, "not on Mondays")
    answer = call.result()
    assert ("denied", client.marks_failures) == (answer.status, answer.failed), answer.text
    assert "not on Mondays" in answer.text
    assert "final" in answer.text


async def _sent_back(agent: Conversation, operator: Client) -> None:
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(ended(agent, "print(7)", "sent back"))
        await decide(operator, agent.agent, DecisionOutcome.CHANGES_REQUESTED, "another number")
    answer = call.result()
    assert "changes_requested" == answer.status, answer.text
    assert "use 8" in answer.text


async def _killed(agent: Conversation, operator: Client, client: ForeignClient) -> None:
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(ended(agent, SPINS, "killed"))
        case = await decide(operator, agent.agent, DecisionOutcome.APPROVED)
        await waiting(operator, agent.agent, status=Status.RUNNING)
        await operator.kill(case.submission.id)
    answer = call.result()
    assert ("killed", client.marks_failures) == (answer.status, answer.failed), answer.text


@pytest.mark.parametrize("patience", [5, 60])
async def test_a_short_time_out_loses_nothing(engine: EngineProcess, operator: Client, patience: int) -> None:
    """A decision after the time-out: one submission, whose result arrives. What is cancelled is withdrawn."""
    if patience > 5 and os.environ.get(LONG) != "60":
        pytest.skip(f"NOT TESTED, takes minutes: clients with a time-out of 60 s. Set {LONG}=60")
    async with contextlib.AsyncExitStack() as stack:
        agents = [await _started(stack, engine, operator, client, patience) for client in CLIENTS]
        found = await asyncio.gather(*(_outlived(operator, *agent, patience) for agent in agents))
    expected = (1, "finished", "withdrawn")
    assert {client.name: expected for client in CLIENTS} == dict(
        zip((one.name for one in CLIENTS), found, strict=True)
    )


async def _started(
    stack: contextlib.AsyncExitStack,
    engine: EngineProcess,
    operator: Client,
    client: ForeignClient,
    patience: int,
) -> tuple[Conversation, str]:
    """Start a client, one at a time: some give their server only the time-out of a call to start."""
    name = await registered(engine, operator, f"agent-{next(_NUMBERS)}")
    default = client.name == "openai-agents" and patience == 5
    return await stack.enter_async_context(talking(client, engine, name, None if default else patience)), name


async def _outlived(operator: Client, agent: Conversation, name: str, patience: int) -> tuple[int, str, str]:
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(ended(agent, "print(6 * 7)", name))
        await waiting(operator, name)
        await asyncio.sleep(patience + 1)
        await decide(operator, name, DecisionOutcome.APPROVED)
    submitted = await operator.history.total(f"requester:{name}")
    pending = await answered(agent, "print(0)", f"cancelled by {name}")
    cancelled = await agent.call("code_cancel", id=pending.id)
    return submitted.count, call.result().status, cancelled.status
