"""What waits for a place is noticed, and what is spare does not wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.models import Language
from engine.sandbox.api.driver import STANDARD_LIMITS, SandboxSpec
from engine.sandbox.drivers.kubernetes.api_errors import ClusterRefusal
from engine.sandbox.drivers.kubernetes.driver import KubernetesDriver
from tests.engine.sandbox.kubernetes.api_server import Server, serving

DIGEST = f"sha256:{'a' * 64}"
OVER = (403, {"message": 'exceeded quota: "small"'})
UNPLACED = {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}


def needed(**changes: Any) -> SandboxSpec:
    """Return the specification of a sandbox that something waits for."""
    return SandboxSpec(DIGEST, Language.SHELL, STANDARD_LIMITS, **changes)


@pytest.fixture
async def driver(server: Server, tmp_path: Path) -> AsyncIterator[KubernetesDriver]:
    """A driver that calls the server."""
    async with serving(server, tmp_path) as settings:
        driver = KubernetesDriver(settings.model_copy(update={"images": {"shell": DIGEST}}), 5.0, "test")
        yield driver
        await driver.close()


async def test_a_pod_without_a_node_is_noticed(server: Server, driver: KubernetesDriver) -> None:
    """Only Pods that do not run yet, and are not spare, are asked for."""
    server.pod = {"metadata": {"name": "one"}, "status": UNPLACED}
    async with asyncio.timeout(10):
        await driver.wait_full()
    query = {"labelSelector": "pratique=1,pratique.spare!=1", "fieldSelector": "status.phase=Pending"}
    assert query == server.queries[-1]


async def test_a_server_that_refuses_to_say_is_asked_again(server: Server, driver: KubernetesDriver) -> None:
    """Neither its refusal nor a Pod that is only starting is a full node."""
    server.refusals = [(400, {"message": "bad"})]
    waiting = asyncio.create_task(driver.wait_full())
    while len(server.queries) < 2:
        await asyncio.sleep(0.1)
    assert not waiting.done()
    server.pod = {"metadata": {"name": "one"}, "status": UNPLACED}
    async with asyncio.timeout(10):
        await waiting


async def test_what_is_needed_waits_for_the_quota(server: Server, driver: KubernetesDriver) -> None:
    """It counts as finding no place meanwhile, and is asked for until the quota allows it."""
    server.refusals = [OVER] * 4
    making = asyncio.create_task(driver.create(needed()))
    async with asyncio.timeout(10):
        await driver.wait_full()
        while server.refusals:
            await asyncio.sleep(0.1)
    making.cancel()
    await asyncio.wait([making])
    assert 0 == driver.factory.over_quota


async def test_what_is_spare_does_not_wait_for_the_quota(server: Server, driver: KubernetesDriver) -> None:
    """The refusal is told at once."""
    server.refusals = [OVER]
    with pytest.raises(ClusterRefusal, match="quota is used up"):
        await driver.create(needed(spare=True))
