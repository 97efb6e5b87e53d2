"""A running engine, and a client of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from engine.client.client import Client
from engine.models import DecisionOutcome, Status
from tests.engine_process import EngineProcess


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return a state folder whose socket path is short enough for the kernel (108 bytes)."""
    assert len(str(tmp_path / "run" / "engine.sock")) < 108
    return tmp_path


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """Yield a running engine, which the tests of a module share."""
    process = EngineProcess(tmp_path_factory.mktemp("home"))
    process.start()
    yield process
    process.end()


@pytest.fixture
async def client(engine: EngineProcess) -> AsyncIterator[Client]:
    """Yield a client of a running engine in which nothing waits."""
    async with engine.client("agent") as client:
        for summary in await client.queue():
            if summary.status is not Status.PENDING:  # what an earlier test killed may still be ending
                continue
            await client.decide(summary.id, DecisionOutcome.DENIED, summary.digest)
        yield client
