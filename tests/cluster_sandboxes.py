"""Sandboxes on a real cluster, for the tests that `make test-cluster` runs; without one there are none."""

from __future__ import annotations

import asyncio
import os

from engine.sandbox.drivers.kubernetes.api_client import ApiClient
from engine.sandbox.drivers.kubernetes.ownership import label_of
from engine.sandbox.drivers.kubernetes.pods import Pods
from engine.settings import KubernetesSettings, SandboxSettings

CLUSTER = "PRATIQUE_TESTS_CLUSTER"
"""The settings `sandbox.kubernetes` of a cluster, as JSON."""
_GONE_SECONDS = 30.0


def cluster() -> KubernetesSettings | None:
    """Return the cluster that tests may use."""
    given = os.environ.get(CLUSTER, "")
    return KubernetesSettings.model_validate_json(given) if given else None


def on_cluster(settings: KubernetesSettings, pool: int = 0) -> SandboxSettings:
    """Return the settings of an engine whose sandboxes are on a cluster."""
    return SandboxSettings(backend="kubernetes", kubernetes=settings, pool=pool, grace_seconds=0.5)


async def pods_of(settings: KubernetesSettings, engine: str) -> list[str]:
    """Return the Pods that an engine's label is on, once none is left or the time is over."""
    client = ApiClient(settings, 10.0)
    try:
        async with asyncio.timeout(_GONE_SECONDS):
            while listed := await Pods(client).of_engine(label_of(engine)):
                await asyncio.sleep(0.2)
            return []
    except TimeoutError:
        return [pod["metadata"]["name"] for pod in listed]
    finally:
        await client.close()
