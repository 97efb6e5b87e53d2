"""Runs whose listener is killed, hangs, is slow or is flooded, and a flood that is counted exactly.

`python -m tests.benchmarks.listener_faults --runs 200 --opens 1000000` does more of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from engine.sandbox.run.manager import SandboxManager
from engine.settings import SandboxSettings
from tests.benchmarks.listener_faults import FAULTS, batch, flood, starve
from tests.sandboxes import containers_of, sandbox_manager

pytestmark = [pytest.mark.sandbox, pytest.mark.asyncio(loop_scope="module")]
ENGINE = "test-listener-faults"
MOST_SECONDS = 90
"""For two runs at once on a busy machine; what waits for a listener that hangs ends after 6 s of it."""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def manager() -> AsyncIterator[SandboxManager]:
    """A manager without ready sandboxes."""
    manager = sandbox_manager(SandboxSettings(pool=0, concurrent=3), ENGINE)
    await manager.start()
    yield manager
    await manager.close()
    assert [] == containers_of(ENGINE)


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_listener_in_trouble_changes_no_run(manager: SandboxManager, fault: str) -> None:
    """Each run ends as it would have, within its time; its ledger is exact, or says that it is not whole."""
    outcomes = await batch(manager, fault, 2)
    assert ["", ""] == [one.wrong for one in outcomes]
    if fault in {"killed", "hung"}:
        assert not all(one.complete for one in outcomes)
    assert max(one.seconds for one in outcomes) < MOST_SECONDS


async def test_a_flood_keeps_the_first_and_counts_all(manager: SandboxManager) -> None:
    """Of 25,000 opens of one file, and 25 of others and a folder, none is lost."""
    assert "" == await flood(manager, 25_000)


async def test_a_flood_whose_listener_hangs_goes_on(manager: SandboxManager) -> None:
    """Of 120,000 events 80,000 are kept for it; the program waits at most until it is replaced, and ends."""
    outcome = await starve(manager, 40_000)
    assert ("", False) == (outcome.wrong, outcome.complete)
    assert outcome.seconds < MOST_SECONDS
