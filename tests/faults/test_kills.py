"""A part of `make kills`: what was answered survives the death of the engine, and nothing happens twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.kills import kill_engine

TIMES = 2
CLIENTS = 3


@pytest.mark.sandbox
async def test_what_was_answered_survives_the_death_of_the_engine(tmp_path: Path) -> None:
    """It is killed under load and started again: each submission, decision and end is there, once."""
    campaign = await kill_engine(TIMES, tmp_path, CLIENTS)
    assert [] == campaign.broken
    assert (TIMES, True) == (len(campaign.seconds), campaign.decided >= TIMES)
