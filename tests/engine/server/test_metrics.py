"""What Prometheus reads of the house as it stands."""

from __future__ import annotations

from engine.models import Language
from engine.sandbox import PoolStatus
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.ready.pool import Pool
from engine.server.http.metrics import PrometheusMetrics
from tests.console.support.fake_engine import event


async def test_a_shelf_says_how_full_it_is() -> None:
    """A shelf that nobody has filled yet wants its least."""
    pool = Pool(DockerDriver("runsc", 1, "metrics"), 2, lambda sandbox: None)
    pool.stock(Language.PYTHON, "pratique/python")
    assert (PoolStatus("pratique/python", 0, 2),) == pool.status


def test_queue_and_pool_are_gauges() -> None:
    """Each reading shows how it stands at that moment, by state and by image."""
    stocks = [PoolStatus("pratique/python", 0, 2)]
    metrics = PrometheusMetrics(lambda: 3, lambda: 1, lambda: 1, lambda: stocks)
    assert b'pratique_pool_ready_sandboxes{image="pratique/python"} 0.0' in metrics.text()
    stocks[0] = PoolStatus("pratique/python", 2, 2)
    said = metrics.text().decode().splitlines()
    assert {
        'pratique_open_submissions{state="pending"} 3.0',
        'pratique_open_submissions{state="approved"} 1.0',
        'pratique_pool_ready_sandboxes{image="pratique/python"} 2.0',
        'pratique_pool_target_sandboxes{image="pratique/python"} 2.0',
    } <= set(said)


def test_missing_events_are_counted() -> None:
    """What was dropped and what was unreadable, over all runs."""
    metrics = PrometheusMetrics(lambda: 0, lambda: 0, lambda: 0, tuple)
    observation = {"status": "incomplete", "dropped": 5, "unreadable": 2, "counts": {"read": 7}}
    for seq in (1, 2):
        metrics.record(event(seq, "run.observed", "s-1", {"observation": observation}))
    said = metrics.text().decode().splitlines()
    assert {
        'pratique_missing_effect_events_total{reason="dropped"} 10.0',
        'pratique_missing_effect_events_total{reason="unreadable"} 4.0',
        'pratique_observed_effects_total{kind="read"} 14.0',
    } <= set(said)
