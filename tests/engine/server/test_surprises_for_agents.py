"""What the agent of a run learns of its surprises, over HTTP and MCP, in a real engine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.errors import Problem
from engine.models import DecisionOutcome
from engine.principals import agent_files
from tests.engine.server.deciding import deciding
from tests.engine.server.test_mcp_stdio import agent, registered, result_of, words
from tests.engine_process import EngineProcess

pytestmark = pytest.mark.sandbox
SECONDS = 120
HIDDEN = """
import ctypes
getattr(ctypes.CDLL(None), ''.join(map(chr, [112, 116, 114, 97, 99, 101])))(0, 0, 0, 0)
print('end')
"""
"""It traces itself, by a name that no analysis of names finds."""
LINE = "HIGH observed, not predicted: trace (ptrace request 0) (programs do this to leave their bounds)"


@pytest.fixture(params=["none", "kinds", "all"])
def report(request: pytest.FixtureRequest) -> str:
    """What the policy tells agents."""
    return str(request.param)


@pytest.fixture
def telling(home: Path, report: str) -> Iterator[EngineProcess]:
    """Yield an engine whose policy tells agents so much."""
    (home / "policy.yaml").write_text(f"surprises_for_agent: {report}\n")
    process = EngineProcess(home)
    process.start()
    yield process
    process.end()


async def test_an_agent_learns_what_the_policy_tells(telling: EngineProcess, report: str) -> None:
    """The same over MCP and HTTP; what the run did is for reviewers, whatever the policy tells."""
    expected = {"none": [], "kinds": ["observed, not predicted: trace (1)"], "all": [LINE]}[report]
    async with asyncio.timeout(SECONDS), telling.client() as operator:
        name = await registered(telling, operator, "robot")
        async with deciding(operator, DecisionOutcome.APPROVED), agent(telling, name=name) as mcp:
            called = await mcp.call_tool("code_execute", {"code": HIDDEN})
        id = result_of(called)["id"]
        effects = await operator.effects(id)
        async with Client(telling.socket, token=agent_files.load(telling.home / "agents", name)) as robot:
            case = await robot.case(id)
            with pytest.raises(Problem, match="may not do that"):
                await robot.effects(id)
            for query in ("surprise:trace", "risk:high surprise.severity:high", "-observed.path:*"):
                with pytest.raises(Problem, match="only reviewers search by"):
                    await robot.history.search(query)
            assert [id] == [found.id for found in await robot.history.search("risk:high")]
    assert ["trace"] == [one.kind for one in effects.matches if one.surprising]
    assert (0, expected) == (result_of(called)["exit_code"], result_of(called)["surprises"])
    assert (report == "all") == ("ptrace request 0" in words(called))
    assert case.result is not None
    assert expected == [line.text for line in case.result.surprises]
