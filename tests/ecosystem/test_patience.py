"""Clients that time out after 5 s, and people who decide later."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ecosystem.patience import DEADLINES, measure
from tests.engine_process import EngineProcess


@pytest.mark.sandbox
async def test_nothing_is_submitted_twice_or_lost(tmp_path: Path) -> None:
    """A small part of `python -m tests.ecosystem.patience`, which makes 300 calls and waits up to 90 s."""
    engine = EngineProcess(tmp_path, **DEADLINES)
    engine.start()
    try:
        tally = await measure(engine, agents=6, calls_each=2, slowest=12)
    finally:
        engine.end()
    assert (12, 12, 0) == (tally.calls, tally.submitted, tally.lost)
