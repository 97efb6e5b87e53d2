"""A run comes before the ready sandboxes of a full node, on a real cluster.

Only `python -m tests.cluster test` collects this file.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from engine.models import Language
from engine.sandbox import Backend
from engine.sandbox.drivers.open import open_backend
from tests.cluster_sandboxes import cluster, on_cluster, pods_of
from tests.sandboxes import IMAGES, Recorder, job

ENGINE = "test-full-node"
_SECONDS = 240.0
_MORE_THAN_FITS = 40


@pytest.fixture
async def kubernetes() -> AsyncIterator[Backend]:
    """A backend that keeps more sandboxes ready than fit, each of which reserves what it may use."""
    settings = cluster()
    assert settings is not None
    whole = settings.model_copy(update={"requested_share": 1.0})
    backend = open_backend(on_cluster(whole, pool=_MORE_THAN_FITS), ENGINE)
    await backend.start()
    yield backend
    await backend.close()
    assert [] == await pods_of(settings, ENGINE)


async def test_a_run_on_kubernetes_comes_before_ready_sandboxes(kubernetes: Backend) -> None:
    """A run that no ready one suits gets the place of one, and of the one that waits for a place."""
    image = IMAGES[Language.SHELL]
    await kubernetes.warm([(Language.SHELL, image)])
    async with asyncio.timeout(_SECONDS):
        while not kubernetes.pool_status[0].ready:
            await asyncio.sleep(0.5)
        await asyncio.sleep(10)  # until the next one finds no place
        digest = await kubernetes.image_digest(image)
        wanted = replace(job("echo ran", Language.SHELL, memory_mb=300), image_digest=digest)
        result = await kubernetes.run(wanted, Recorder())
    assert 0 == result.exit_code
