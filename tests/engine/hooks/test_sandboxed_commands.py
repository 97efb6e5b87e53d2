"""A command that is not proven harmless runs in a sandbox instead, once a person has approved it."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import DecisionOutcome, Draft, Language
from tests.engine.hooks.messages import message
from tests.engine.hooks.test_hook import decision, hooked
from tests.engine_process import EngineProcess

ROOT = Path(__file__).parents[3]
COMMAND = "touch made; ls; echo 'key AKIAIOSFODNN7EXAMPLE' >&2; exit 3"


async def replaced(
    engine: EngineProcess, command: str, agent: str = "claude"
) -> tuple[str, dict[str, object]]:
    """Return the id of the submission that a command became, and what the agent is to run instead."""
    sent = message(agent, command, timeout=1000)
    ended = await asyncio.to_thread(hooked, engine.home, agent, sent, "sandbox")
    assert "allow" == decision(agent, ended), ended.stderr
    said = json.loads(ended.stdout)["hookSpecificOutput"]
    changed = said.get("updatedInput") or said["tool_input"]
    return changed["command"].split()[-1], changed


def result(engine: EngineProcess, id: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Run the command that took the other one's place."""
    command = [sys.executable, "-m", "console.main", "hook", "result", id, *more]
    return subprocess.run(
        command, env=engine.environment, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.sandbox
@pytest.mark.parametrize("agent", ["claude", "codex", "gemini"])
async def test_an_approved_command_runs_in_the_sandbox(
    engine: EngineProcess, client: Client, agent: str
) -> None:
    """The agent gets output and exit code as if it had run it, secrets masked; its folder stays as it is."""
    id, changed = await replaced(engine, COMMAND, agent)
    assert ("Say hello", 1000) == (changed["description"], changed["timeout"])
    case = await client.case(id)
    assert COMMAND == case.submission.draft.code.text
    await client.decide(id, DecisionOutcome.APPROVED, case.submission.digest)
    ended = await asyncio.to_thread(result, engine, id)
    assert 3 == ended.returncode
    assert "made\n" in ended.stdout
    assert "AKIAIOSFODNN7EXAMPLE" not in ended.stdout + ended.stderr
    assert "sandbox: exit 3" in ended.stderr
    assert not (ROOT / "made").exists()


async def test_a_denied_command_says_so(engine: EngineProcess, client: Client) -> None:
    """The model is told the reason, and not to try it again."""
    id, _ = await replaced(engine, "rm -rf build/one")
    digest = (await client.case(id)).submission.digest
    await client.decide(id, DecisionOutcome.DENIED, digest, "keep the build")
    ended = await asyncio.to_thread(result, engine, id)
    assert 3 == ended.returncode
    assert "a person denied it" in ended.stderr
    assert "keep the build" in ended.stderr


async def test_one_that_waits_says_how_to_ask_again(engine: EngineProcess, client: Client) -> None:
    """The same command prints the result later; the same call again is the same submission."""
    id, changed = await replaced(engine, "rm -rf build/two")
    ended = await asyncio.to_thread(result, engine, id, "--wait", "0")
    assert 3 == ended.returncode
    assert str(changed["command"]) in ended.stderr
    assert id == (await replaced(engine, "rm -rf build/two"))[0]


async def test_an_agent_reads_no_other_submission(engine: EngineProcess, client: Client) -> None:
    """The command that passes unasked shows nothing that no hook submitted."""
    case = await client.submit(Draft(code=Untrusted("echo secret"), language=Language.SHELL))
    ended = await asyncio.to_thread(result, engine, case.submission.id, "--wait", "0")
    assert 5 == ended.returncode
    assert "no command of a coding agent" in ended.stderr
