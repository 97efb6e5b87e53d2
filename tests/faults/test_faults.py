"""Every call site that records, or that touches disk, container runtime or processes, fails once."""

from __future__ import annotations

import logging

import pytest

from engine.analysis_pool import AnalysisPool
from tests.faults.injection import bounded_faults
from tests.faults.scenario import BRAKE_SECONDS, play, sites

LEAST_SITES = 45


@pytest.mark.timeout(600)
async def test_no_fault_of_any_call_site_breaks_an_invariant(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine lives or refuses to start; what was answered is kept; nothing runs twice; kills work."""
    monkeypatch.setattr(logging.getLogger("pratique"), "disabled", True)
    pool = AnalysisPool()
    try:
        names, without = await sites(pool)
        assert [] == without.broken
        assert len(names) >= LEAST_SITES
        outcomes = [await play(pool, site, fault) for site, fault in bounded_faults(names)]
    finally:
        await pool.close()
    assert {} == {(one.site, one.fault): one.broken for one in outcomes if one.broken}
    assert [] == [one.site for one in outcomes if one.brake_seconds > BRAKE_SECONDS]
