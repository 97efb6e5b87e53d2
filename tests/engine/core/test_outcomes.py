"""Denied, expired and refused: three answers, told apart at every door."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.cli.exit_codes import ExitCode, exit_code_of
from engine.cli.output.formatting import print_case
from engine.common.text import Untrusted
from engine.core import Engine
from engine.models import Case, DecisionOutcome, Draft, Language
from engine.server.mcp.tool_result import tool_result
from engine.settings import PolicySettings
from tests.engine.core.conftest import EngineMaker
from tests.engine.core.test_binding_requests import over_http, watched
from tests.engine.core.test_bound_runs import ADA, AGENT

pytestmark = pytest.mark.usefixtures("no_docker")

SECONDS = 60
MINER = "rules:\n  - {id: no-miners, refuse: true, when: {code: xmrig}}\n"
SHORT = PolicySettings(base="strict", deadlines={"high": 0.3})
LONG = PolicySettings(base="strict", deadlines={"high": 600})
ENDS = {
    "denied": ("print(1)", LONG, "needs no print"),
    "expired": ("print(1)", SHORT, "nobody decided within 0.3 s"),
    "refused": ("print('xmrig')", LONG, "no-miners"),
}


async def ended(engine: Engine, code: str, status: str) -> Case:
    """Hand code in, deny it where that is wanted, and return how it ended."""
    case = await engine.submissions.submit(Draft(code=Untrusted(code), language=Language.PYTHON), AGENT)
    id, digest = case.submission.id, case.submission.digest
    if status == "denied":
        await engine.submissions.decide(id, ADA, DecisionOutcome.DENIED, digest, "needs no print")
    return await engine.queries.finished(id)


@pytest.mark.parametrize("status", ENDS)
async def test_each_end_is_a_status_of_its_own(
    engine_with: EngineMaker, home: Path, capsys: pytest.CaptureFixture[str], status: str
) -> None:
    """HTTP, MCP, and the command line say which of the three it was, and why."""
    code, settings, why = ENDS[status]
    (home / "policy.yaml").write_text(MINER)
    async with engine_with(policy=settings) as engine, asyncio.timeout(SECONDS), over_http(engine) as client:
        case = await ended(engine, code, status)
        told = (await client.get(f"/v1/submissions/{case.submission.id}")).json()
        assert (status, True) == (told["status"], why in told["decision"]["reason"])
        assert (status, True) == (tool_result(case).status.value, why in tool_result(case).reason)
        assert ExitCode.NOT_APPROVED is exit_code_of(case)
        print_case(case)
        assert status in capsys.readouterr().out


@pytest.mark.parametrize("status", ["expired", "refused"])
async def test_the_inbox_says_which_it_was(engine_with: EngineMaker, home: Path, status: str) -> None:
    """The result beside a dropped file names the status and the reason."""
    code, settings, why = ENDS[status]
    (home / "policy.yaml").write_text(MINER)
    inbox = home / "in"
    inbox.mkdir()
    async with engine_with(policy=settings) as engine, asyncio.timeout(SECONDS), watched(engine, inbox):
        (inbox / "a.py").write_text(code)
        result = inbox / "a.py.result.json"
        while not result.exists():
            await asyncio.sleep(0.05)
        assert f'"status": "{status}"' in result.read_text()
        assert why in result.read_text()


async def test_who_comes_too_often_is_told_when_to_come_back(engine_with: EngineMaker) -> None:
    """Over the rate: 429 with the seconds to wait, an event, and what was accepted still waits."""
    slow = PolicySettings(base="strict", submissions_per_minute=1, submissions_burst=1)
    draft = Draft(code=Untrusted("print(1)"), language=Language.PYTHON).model_dump(mode="json")
    async with engine_with(policy=slow) as engine, asyncio.timeout(SECONDS), over_http(engine) as client:
        first = await client.post("/v1/submissions", json={"draft": draft, "requester": "agent"})
        second = await client.post("/v1/submissions", json={"draft": draft, "requester": "agent"})
        assert (202, 429) == (first.status_code, second.status_code)
        assert 0 < int(second.headers["retry-after"]) <= 60
        assert [first.json()["submission"]["id"]] == [one.id for one in await engine.queries.queue()]
        while "submission.throttled" not in [event.type for event in await engine._log.read.events()]:
            await asyncio.sleep(0.05)


async def test_what_only_writes_its_workspace_is_told_with_its_files(engine_with: EngineMaker) -> None:
    """The stored analysis, the result of the tool and HTTP name what proven code writes."""
    code = "import pandas as pd\npd.Series([1]).to_csv('report.csv')\n"
    async with engine_with(policy=LONG) as engine:
        case = await engine.submissions.submit(Draft(code=Untrusted(code), language=Language.PYTHON), AGENT)
        stored = await engine.queries.case(case.submission.id)
    assert ["report.csv"] == tool_result(stored).writes
    assert ["report.csv"] == [one["writes"] for one in stored.analysis.model_dump(mode="json")["unproven"]]
