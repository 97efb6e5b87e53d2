"""Programs with known effects in real sandboxes: everything they do is observed, and nothing else."""

from __future__ import annotations

import fnmatch
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.models import Language
from engine.models.observed import ObservationStatus, ObservedEffect
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.engine.sandbox import effect_programs as programs
from tests.sandboxes import Recorder, containers_of, job, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-observed-battery"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


def _line(effect: ObservedEffect) -> str:
    detail = f": {effect.detail.text}" if effect.detail else ""
    return f"{effect.kind.value} {effect.target.text}{detail}"


@pytest.mark.parametrize(
    ("language", "prelude", "battery"),
    [
        (Language.PYTHON, programs.PYTHON_PRELUDE, programs.PYTHON),
        (Language.JAVASCRIPT, programs.JAVASCRIPT_PRELUDE, programs.JAVASCRIPT),
        (Language.SHELL, "", programs.SHELL),
    ],
)
async def test_every_effect_is_observed_and_none_is_invented(
    manager: SandboxManager, language: Language, prelude: str, battery: tuple[programs.Program, ...]
) -> None:
    """What each program is known to do is observed; whatever else is observed is the routine of starting."""
    watcher = Recorder()
    code = "\n".join([prelude, *(code for code, _ in battery)])
    await manager.run(job(code, language, seconds=60), watcher)
    assert watcher.observation is not None
    assert ((), ObservationStatus.COMPLETE) == (watcher.observation.reasons, watcher.observation.status)
    observed = {_line(one) for one in watcher.effects.values() if not one.routine}
    expected = {pattern for _, patterns in battery for pattern in patterns}
    assert set() == {one for one in expected if not fnmatch.filter(observed, one)}
    assert set() == {one for one in observed if not any(fnmatch.fnmatch(one, each) for each in expected)}
