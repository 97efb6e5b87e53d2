"""Every promise of the sandbox, and a program in real gVisor that tries to break it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.common.text import visible
from engine.models import KillReason
from engine.sandbox.run.manager import SandboxManager
from engine.sandbox.selftest.attack_case import AttackCase
from engine.sandbox.selftest.runner import ATTEMPTS, AttackOutcome, attempt
from engine.settings import SandboxSettings
from tests.sandboxes import IMAGES, Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-redteam"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager(request: pytest.FixtureRequest) -> AsyncIterator[SandboxManager]:
    """A manager in whose house a secret lies; the table is printed at the end."""
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
        reporter.write_line(f"{state} {outcome.attempt.promise} ({outcome.attempt.name})")


OUTCOMES: list[AttackOutcome] = []


@pytest.mark.parametrize("tried", ATTEMPTS, ids=lambda tried: tried.name)
async def test_promise_holds(manager: SandboxManager, tried: AttackCase) -> None:
    """The program does not get what it is after, and the engine works on."""
    outcome = await attempt(manager, tried, IMAGES)
    OUTCOMES.append(outcome)
    assert outcome.held, visible(outcome.detail)


async def test_the_engine_works_after_all_that(manager: SandboxManager) -> None:
    """An honest program still runs, at once."""
    watcher = Recorder()
    result = await manager.run(job("print('well')"), watcher)
    assert (KillReason.NONE, b"well\n") == (result.kill_reason, watcher.stdout)


async def test_every_promise_is_tried_once() -> None:
    """No two attempts have one name, so the table can be read."""
    assert len(ATTEMPTS) == len({tried.name for tried in ATTEMPTS})


async def test_hostile_names_are_left_in_the_sandbox(manager: SandboxManager) -> None:
    """Of a workspace full of traps only plain files with honest names come out, and not many."""
    trap = next(tried for tried in ATTEMPTS if tried.name == "traps among the files")
    result = await manager.run(job(trap.code), Recorder())
    names = [artifact.name.text for artifact in result.artifacts]
    assert 256 == len(names)
    assert not {"link", "root", "pipe", "a/b/up", "sparse"} & set(names)
    assert any("left in the sandbox" in sentence for sentence in result.evidence)
