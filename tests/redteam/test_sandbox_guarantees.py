"""Every guarantee of the sandbox against its attack, in real gVisor."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.common.text import visible
from engine.models import KillReason
from engine.sandbox.run.manager import SandboxManager
from engine.sandbox.selftest.attack_case import AttackCase
from engine.sandbox.selftest.runner import ATTACKS, AttackOutcome, run_attack
from engine.settings import SandboxSettings
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-redteam"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager(request: pytest.FixtureRequest) -> AsyncIterator[SandboxManager]:
    """A manager whose host has a secret in its environment; the outcomes are printed at the end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOST_SECRET", "of the host")
        manager = sandbox_manager(SandboxSettings(pool=1, grace_seconds=0.5), ENGINE)
        await manager.start()
        await manager.warm(list(IMAGES.items())[:1])
        yield manager
        await manager.close()
    assert [] == containers_of(ENGINE)
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    assert reporter is not None
    for outcome in OUTCOMES:
        state = "held  " if outcome.held else "BROKEN"
        reporter.write_line(f"{state} {outcome.attack.guarantee} ({outcome.attack.name})")


OUTCOMES: list[AttackOutcome] = []


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
async def test_guarantee_holds(manager: SandboxManager, attack: AttackCase) -> None:
    """The attack fails."""
    outcome = await run_attack(manager, attack, IMAGES)
    OUTCOMES.append(outcome)
    assert outcome.held, visible(outcome.detail)


async def test_runs_still_work_after_the_attacks(manager: SandboxManager) -> None:
    """A harmless program still runs."""
    watcher = Recorder()
    result = await manager.run(job("print('well')"), watcher)
    assert (KillReason.NONE, b"well\n") == (result.kill_reason, watcher.stdout)


async def test_attack_names_are_unique() -> None:
    """No two attacks have the same name."""
    assert len(ATTACKS) == len({attack.name for attack in ATTACKS})


async def test_hostile_names_are_left_in_the_sandbox(manager: SandboxManager) -> None:
    """Only regular files with valid names become artifacts, up to the limit."""
    hostile = next(attack for attack in ATTACKS if attack.name == "hostile file names")
    result = await manager.run(job(hostile.code), Recorder())
    names = [artifact.name.text for artifact in result.artifacts]
    assert 256 == len(names)
    assert not {"link", "root", "pipe", "a/b/up", "sparse"} & set(names)
    assert any("left in the sandbox" in sentence for sentence in result.evidence)
