"""What Prometheus reads of the house as it stands."""

from __future__ import annotations

from engine.models import Language
from engine.sandbox.drivers.docker import ownership
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerClient
from engine.sandbox.drivers.docker.pool import Pool, PoolStatus
from engine.server.http.metrics import PrometheusMetrics


async def test_a_shelf_says_how_full_it_is() -> None:
    """A shelf that nobody has filled yet wants its least."""
    pool = Pool(
        ContainerFactory(DockerClient(1), "runsc", ownership.here("metrics")), 2, lambda container: None
    )
    pool.stock(Language.PYTHON, "pratique/python")
    assert (PoolStatus("pratique/python", 0, 2),) == pool.stocks


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
