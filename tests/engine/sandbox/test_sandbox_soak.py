"""Many mixed runs with faults among them: afterwards everything counts what it counted before."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from tests.benchmarks.soak import soak

ROUNDS = int(os.environ.get("PRATIQUE_SOAK", "24"))
"""How many runs; `python -m tests.benchmarks.soak` does a thousand, which takes about half an hour."""


@pytest.mark.sandbox
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_faults_leave_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """After mixed runs and faults no container, process, task, socket or temporary file is left."""
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    async with await asyncio.start_server(lambda *_: None, "127.0.0.1", 0):
        pass  # with its first server, uvloop opens a descriptor that it keeps in reserve
    soaked = await soak(ROUNDS, 6, tmp_path, "test-soak")
    assert [] == soaked.wrong
    left = {name: (count, getattr(soaked.after, name)) for name, count in vars(soaked.before).items()}
    assert {} == {name: counts for name, counts in left.items() if counts[0] != counts[1]}
