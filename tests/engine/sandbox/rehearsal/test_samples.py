"""A part of the programs that the benchmark of rehearsals measures, in real gVisor."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.models import Language
from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.rehearsed.measure import HARMFUL, HONEST, rehearse
from tests.sandboxes import sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
STEALING = (
    (Language.PYTHON, "the whole home folder in an archive"),
    (Language.PYTHON, "encrypts every file"),
    (Language.JAVASCRIPT, "reverse shell"),
    (Language.SHELL, "runs what it downloads"),
)
ORDINARY = (
    (Language.PYTHON, "signs a request to its cloud"),
    (Language.PYTHON, "an archive of documents"),
    (Language.JAVASCRIPT, "compresses its input"),
    (Language.SHELL, "edits in place"),
)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes: a rehearsal takes one of its own."""
    manager = sandbox_manager(SandboxSettings(pool=0, grace_seconds=0.5), "test-rehearsed-samples")
    await manager.start()
    yield manager
    await manager.close()


@pytest.mark.parametrize("sample", STEALING, ids=" ".join)
async def test_programs_that_steal_or_destroy_are_convicted(
    manager: SandboxManager, sample: tuple[Language, str]
) -> None:
    """By what they did, not by what their code looks like."""
    found = await rehearse(manager, *sample, HARMFUL[sample])
    assert found.proof, found


@pytest.mark.parametrize("sample", ORDINARY, ids=" ".join)
async def test_honest_programs_are_not_accused(manager: SandboxManager, sample: tuple[Language, str]) -> None:
    """They end as they would, and nothing is proven."""
    found = await rehearse(manager, *sample, HONEST[sample])
    assert ("", 0) == (found.proof, found.exit_code), found


async def test_there_are_forty_of_each() -> None:
    """As many as the benchmark promises."""
    assert (40, 40) == (len(HARMFUL), len(HONEST))
