"""How soon notices come, and what comes of many while the receiver is down."""

from __future__ import annotations

from tests.benchmarks.bench_notifications import latency, outage


async def test_a_notice_comes_within_a_second() -> None:
    """Of twenty submissions, half have their notice within a second of the answer, on a busy machine, too."""
    assert 1000 > (await latency(20)).p50


async def test_many_notices_arrive_once_after_an_outage() -> None:
    """Nothing is lost and nothing comes twice; `make bench` does so with 1,000."""
    lost, twice, _ = await outage(200, 2)
    assert (0, 0) == (lost.p50, twice.p50)
