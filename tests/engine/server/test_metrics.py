"""What Prometheus reads of the house as it stands."""

from __future__ import annotations

from engine.models import Language
from engine.sandbox import PoolStatus
from engine.sandbox.drivers.docker.driver import DockerDriver
from engine.sandbox.run.pool import Pool
from engine.server.http.metrics import PrometheusMetrics


async def test_a_shelf_says_how_full_it_is() -> None:
    """A shelf that nobody has filled yet wants its least."""
    pool = Pool(DockerDriver("runsc", 1, "metrics"), 2, lambda sandbox: None)
    pool.stock(Language.PYTHON, "pratique/python")
    assert (PoolStatus("pratique/python", 0, 2),) == pool.status


def test_queue_and_pool_are_gauges() -> None:
    """Each reading shows how it stands at that moment, by state and by image."""
    stocks = [PoolStatus("pratique/python", 0, 2)]
    metrics = PrometheusMetrics(lambda: 3, lambda: 1, lambda: stocks)
    assert b'pratique_pool_ready_sandboxes{image="pratique/python"} 0.0' in metrics.text()
    stocks[0] = PoolStatus("pratique/python", 2, 2)
    said = metrics.text().decode().splitlines()
    assert {
        'pratique_open_submissions{state="pending"} 3.0',
        'pratique_open_submissions{state="approved"} 1.0',
        'pratique_pool_ready_sandboxes{image="pratique/python"} 2.0',
        'pratique_pool_target_sandboxes{image="pratique/python"} 2.0',
    } <= set(said)
