"""Every call site that records, or that touches disk, container runtime or processes, fails once."""

from __future__ import annotations

import logging

import pytest

from engine.analysis_pool import AnalysisPool
from tests.faults.egress import egress_sites, play_egress
from tests.faults.injection import bounded_faults
from tests.faults.postgres_calls import MARK
from tests.faults.scenario import BRAKE_SECONDS, in_postgres, play, sites, warm

LEAST_SITES = 45
LINES = (
    f"{MARK} connection < history/store/postgres/database.py:link",
    f"{MARK} statement < history/store/sql/ledger.py:_put",
)


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


@pytest.mark.parametrize("fault", ["lost", "hang"])
async def test_a_network_call_of_the_proxy_that_fails_is_told_and_recorded(fault: str) -> None:
    """Runs with a network and downloads of packages go through it: it answers in words, and goes on."""
    names = await egress_sites()
    assert {"socket.connect", "socket.getaddrinfo"} == {name.split(" < ")[0] for name in names}
    outcomes = [await play_egress(site, fault) for site in names]
    assert {} == {one.site: one.broken for one in outcomes if one.broken}
    assert all(one.hits for one in outcomes)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("site", LINES)
async def test_a_lost_line_to_postgresql_breaks_no_invariant(
    monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    """A part of `python -m tests.faults --postgres`."""
    monkeypatch.setattr(logging.getLogger("pratique"), "disabled", True)
    pool = AnalysisPool()
    try:
        await warm(pool)
        outcome = await play(pool, site, "lost", open_history=in_postgres)
    finally:
        await pool.close()
    assert ([], True) == (outcome.broken, outcome.hits > 0)
