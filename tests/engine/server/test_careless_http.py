"""Approvals that look careless, over HTTP and the command line: who is told what."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, ReviewRecord, Scope, ShownBy
from engine.models.past_decisions import CarelessSign
from tests.engine_process import EngineProcess
from tests.tls import free_port

SECONDS = 120
GLANCED = ReviewRecord(seconds=0.5, lines=((1, 1),), shown_by=ShownBy.CONSOLE)


async def told(port: int, client: Client, name: str, scope: Scope) -> int:
    """Return how many approvals the holder of a new token is told about."""
    secret = (await client.tokens.create(name, (scope,), 1)).secret
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, trust_env=False) as http:
        header = {"authorization": f"Bearer {secret}"}
        return int((await http.get("/v1/approvals/careless", headers=header)).json()["approvals"])


@pytest.mark.sandbox
async def test_an_owner_and_auditors_are_told_all_and_reviewers_their_own(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """An approval after half a second is listed for its reviewer and auditors, and for no other reviewer."""
    home, port = tmp_path_factory.mktemp("home"), free_port()
    process = EngineProcess(home, PRATIQUE_SERVER__LISTEN=f"127.0.0.1:{port}")
    process.start()
    try:
        async with process.client("agent") as client, asyncio.timeout(SECONDS):
            await client.health(settled_within=25)
            case = await client.submit(Draft(code=Untrusted("print(1)"), language=Language.PYTHON))
            id, shown = case.submission.id, case.submission.digest
            await client.decide(id, DecisionOutcome.APPROVED, shown, review_record=GLANCED)
            (found,) = (await client.policy.careless()).careless
            assert (id, (CarelessSign.HASTY,)) == (found.id, found.signs)
            assert 0 == await told(port, client, "bob", Scope.REVIEW)
            assert 1 == await told(port, client, "eve", Scope.AUDIT)
            monkeypatch.setenv("PRATIQUE_HOME", str(home))
            assert ExitCode.OK == await asyncio.to_thread(main, ["audit", "careless"])
            assert "1 of 1 approval in 30 days look careless." in capsys.readouterr().out
    finally:
        process.end()
