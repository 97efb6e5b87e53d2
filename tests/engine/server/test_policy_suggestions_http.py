"""Rules that decisions suggest, adopted over HTTP and the command line."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli.exit_codes import ExitCode
from engine.client.client import Client
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language, ReviewRecord, ShownBy, Status
from engine.models.past_decisions import PolicyAdoption
from engine.policy.suggestions import LEAST_APPROVED
from engine.principals.signing import adoption_bytes, is_signed
from tests.engine_process import EngineProcess

SECONDS = 120
SEEN = ReviewRecord(seconds=2.5, lines=((1, 1),), shown_by=ShownBy.CONSOLE)


def draft(number: int) -> Draft:
    """Return one of many harmless drafts."""
    return Draft(code=Untrusted(f"print({number} + 1)"), language=Language.PYTHON)


async def approve(client: Client, number: int) -> None:
    """Submit a harmless draft and approve it."""
    case = await client.submit(draft(number))
    id, shown = case.submission.id, case.submission.digest
    await client.decide(id, DecisionOutcome.APPROVED, shown, review_record=SEEN)
    await client.case(id, within=20)


@pytest.mark.sandbox
async def test_an_adopted_rule_is_signed_in_force_and_survives_a_restart(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """After it the agent's next harmless code does not wait; another agent's does."""
    home = tmp_path_factory.mktemp("home")
    process = EngineProcess(home, PRATIQUE_POLICY__BASE="standard")
    process.start()
    try:
        async with process.client("reports") as client, asyncio.timeout(SECONDS):
            await client.health(settled_within=25)
            for number in range(LEAST_APPROVED):
                await approve(client, number)
            (found,) = await client.policy.suggestions()
            assert LEAST_APPROVED == found.changes
            monkeypatch.setenv("PRATIQUE_HOME", str(home))
            await _try_with_policy_diff(found.id, home / "new.yaml", capsys)
            with pytest.raises(Problem, match="is not suggested"):
                await client.policy.adopt("learned-0")
            assert ExitCode.OK == await asyncio.to_thread(main, ["policy", "adopt", found.id])
            assert () == await client.policy.suggestions()
            next_one = await client.submit(draft(100))
            assert next_one.status is not Status.PENDING
            await _require_signed(client, found.id)
        async with process.client("another") as other, asyncio.timeout(SECONDS):
            assert Status.PENDING is (await other.submit(draft(101))).status
        process.end()
        process.start()
        async with process.client("reports") as client, asyncio.timeout(SECONDS):
            assert (await client.submit(draft(102))).status is not Status.PENDING
    finally:
        process.end()


async def _try_with_policy_diff(rule: str, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ExitCode.OK == await asyncio.to_thread(main, ["policy", "suggest", rule, "-o", str(file)])
    assert ExitCode.OK == await asyncio.to_thread(main, ["policy", "diff", str(file)])
    assert f"{LEAST_APPROVED} ALLOW -> ALLOW" in capsys.readouterr().out


async def _require_signed(client: Client, rule: str) -> None:
    async with contextlib.aclosing(client.events(since=0)) as events:
        event = await anext(each async for each in events if each.type == "policy.adopted")
    adoption = PolicyAdoption.model_validate(event.data["adoption"])
    (key,) = [each.key for each in await client.keys.list() if each.name == adoption.by.name]
    assert rule == adoption.rule
    assert is_signed(adoption.signature, adoption_bytes(adoption), key)
