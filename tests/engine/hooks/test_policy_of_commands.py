"""The policy and blocks bind commands of coding agents that are proven harmless."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from engine.common.text import Untrusted
from engine.models.response import BlockKind, BlockTarget
from engine.policy.imports.reading import ImportSource, read_entries
from engine.policy.imports.rendering import policy_text
from tests.engine.hooks.messages import message
from tests.engine.hooks.test_hook import decision, hooked
from tests.engine_process import EngineProcess

RULES = {"permissions": {"deny": ["Bash(echo secret:*)"], "ask": ["Bash(printf:*)"]}}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield an engine whose policy was imported from Claude Code."""
    home = tmp_path_factory.mktemp("home")
    settings = home / "settings-of-claude.json"
    settings.write_text(json.dumps(RULES))
    entries = read_entries(ImportSource.CLAUDE_CODE, settings, lambda _: ())
    (home / "policy.yaml").write_text(policy_text("Claude Code", entries))
    process = EngineProcess(home)
    process.start()
    yield process
    process.end()


DENIED, ASKED, FREE = "echo secret of mine", "printf hello", "echo hello | tr a-z A-Z"


@pytest.mark.parametrize("otherwise", ["sandbox", "workspace", "ask", "deny"])
def test_a_command_that_the_policy_refuses_is_denied(engine: EngineProcess, otherwise: str) -> None:
    """It is proven harmless, and no user is asked about it either: the model is told which rule it was."""
    ended = hooked(engine.home, "claude", message("claude", DENIED), otherwise)
    assert "deny" == decision("claude", ended)
    assert "the rule claude-code-deny-1" in ended.stdout.decode()


@pytest.mark.parametrize(("otherwise", "expected"), [("ask", "ask"), ("deny", "deny")])
def test_a_command_that_the_policy_rates_high_waits_for_a_person(
    engine: EngineProcess, otherwise: str, expected: str
) -> None:
    """It is proven harmless, and a rule of the user's own asks for a decision."""
    ended = hooked(engine.home, "claude", message("claude", ASKED), otherwise)
    assert expected == decision("claude", ended)
    assert "the rule claude-code-ask-1" in ended.stdout.decode()


def test_a_command_that_no_rule_names_passes(engine: EngineProcess) -> None:
    """The rules bind what they name, and nothing else."""
    assert "allow" == decision("claude", hooked(engine.home, "claude", message("claude", FREE)))


async def test_a_blocked_agent_runs_nothing_by_proof(engine: EngineProcess) -> None:
    """A block binds commands that are proven harmless; another agent goes on."""
    async with engine.client("operator") as client:
        target = BlockTarget(kind=BlockKind.AGENT, value=Untrusted("Gemini CLI"))
        await client.responses.block(target, reason="incident 7")
    blocked = hooked(engine.home, "gemini", message("gemini", FREE))
    assert ("deny", "allow") == (
        decision("gemini", blocked),
        decision("claude", hooked(engine.home, "claude", message("claude", FREE))),
    )
    assert "incident 7" in blocked.stdout.decode()
