"""An engine whose witness is out of reach goes on and says so; one that is there has all at the end."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.history.witness.checkpoint_file import last
from engine.history.witness.git_witness import FILE
from engine.settings import HistorySettings
from tests.engine.core.conftest import EngineMaker
from tests.engine_process import EngineProcess

PATIENT = 60
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


@pytest.mark.usefixtures("no_docker")
async def test_a_witness_out_of_reach_is_an_event_and_a_red_row(
    engine_with: EngineMaker, tmp_path: Path
) -> None:
    """The row says what to type; steps are recorded as fast as ever."""
    absent = tmp_path / "absent"
    settings = HistorySettings(checkpoint_events=2, witness_git=absent)
    async with engine_with(history=settings) as engine, asyncio.timeout(PATIENT):
        async with contextlib.aclosing(engine.queries.events(0)) as events:
            async for event in events:
                if event.type == "witness.failed":
                    break
        assert f"witness: {absent}" == event.data["witness"]
        assert event.data["why"].startswith("fatal: cannot change to")
        row = next(row for row in (await engine.health()).checks if row.name == event.data["witness"])
        assert (False, f"git -C {absent} status") == (row.ok, row.hint)


def test_the_checkpoint_of_the_end_is_handed_over(home: Path, tmp_path: Path) -> None:
    """An engine that ends signs its history, and its witness has that when it is gone."""
    kept = tmp_path / "kept"
    subprocess.run(["git", "init", "--quiet", kept], check=True, timeout=PATIENT)
    process = EngineProcess(home, PRATIQUE_HISTORY__WITNESS_GIT=str(kept))
    process.start()
    process.end()
    assert last(home / "pratique.db.checkpoints") == last(kept / FILE) is not None
