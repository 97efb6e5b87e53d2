"""A part of `python -m tests.faults.reviewers`: nothing that a reviewer decided is lost or sent twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.reviewers import campaign

TIMES = 4


@pytest.mark.sandbox
@pytest.mark.terminal
@pytest.mark.timeout(600)
async def test_no_decision_is_lost_by_quits_kills_and_resizes(tmp_path: Path) -> None:
    """Console and engine are killed at random moments; every decision arrives once, with its words."""
    found = await campaign(TIMES, tmp_path)
    assert [] == found.broken
    assert TIMES == found.sent + found.kept
