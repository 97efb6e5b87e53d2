"""What sandboxes on the cluster take: cold and warm first bytes, and output through a Pod. Prints a table."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from engine.models import Language, OutputChunk
from engine.sandbox import Job
from engine.sandbox.api.driver import STANDARD_LIMITS, SandboxSpec
from engine.sandbox.drivers.kubernetes.driver import KubernetesDriver
from engine.sandbox.run.manager import SandboxManager
from engine.settings import KubernetesSettings
from tests.cluster_sandboxes import on_cluster
from tests.sandboxes import IMAGES, Recorder
from tests.sandboxes import job as docker_job

_MEGABYTES = 64
_FLOOD = f"""\
import hashlib, os, sys
block = os.urandom(1 << 20)
total = hashlib.sha256()
for _ in range({_MEGABYTES}):
    sys.stdout.buffer.write(block)
    total.update(block)
sys.stdout.buffer.flush()
open("digest.txt", "w").write(total.hexdigest())
"""


class FirstByte(Recorder):
    """A watcher that notes when output first came, and the digest of all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.at = 0.0
        self.total = hashlib.sha256()
        self.size = 0

    async def output(self, chunk: OutputChunk) -> None:
        """Note a chunk."""
        self.at = self.at or time.monotonic()
        self.total.update(chunk.data)
        self.size += len(chunk.data)


class Measurement:
    """One backend on the cluster."""

    def __init__(self, settings: KubernetesSettings, pool: int) -> None:
        self.driver = KubernetesDriver(settings, 20.0, f"measure-{os.getpid()}")
        self.backend = SandboxManager(on_cluster(settings, pool), self.driver, None)

    async def first_byte(self, **limits: Any) -> float:
        """Return the seconds from the request of a run to its first byte."""
        watcher = FirstByte()
        began = time.monotonic()
        await self.backend.run(await self.job("print('x')", **limits), watcher)
        return watcher.at - began

    async def job(self, code: str, **limits: Any) -> Job:
        """Return a job for Python code."""
        digest = await self.backend.image_digest(IMAGES[Language.PYTHON])
        return replace(docker_job(code, Language.PYTHON, **limits), image_digest=digest)

    async def raw(self) -> tuple[float, float]:
        """Return the seconds from a create call until its Pod is seen running, and to its first byte.

        It is the same Pod with Python alone, which reads a line of code.
        """
        factory = self.driver.factory
        digest = await self.backend.image_digest(IMAGES[Language.PYTHON])
        manifest = await factory._manifest(SandboxSpec(digest, Language.PYTHON, STANDARD_LIMITS))
        name, container = manifest["metadata"]["name"], manifest["spec"]["containers"][0]
        container |= {"command": ["python3", "-I", "-c", "exec(input())"], "args": []}
        began = time.monotonic()
        await factory.pods.create(manifest)
        await factory._running(name)
        running = time.monotonic() - began
        stream = await factory._attach(name)
        await stream.send(b"print('x')\n")
        await anext(stream.output())
        first = time.monotonic() - began
        stream.abort()
        await factory.pods.remove(name)
        return running, first

    async def warm(self) -> float:
        """Return the seconds of a run whose sandbox was ready."""
        pool = self.backend.pool
        async with asyncio.timeout(60):
            while not any(one.sandboxes for one in pool.image_pools):
                await asyncio.sleep(0.1)
        return await self.first_byte()

    async def flood(self) -> tuple[float, bool]:
        """Return the megabytes of output a second, and whether every byte came."""
        watcher = FirstByte()
        self.backend.keeper = watcher
        began = time.monotonic()
        result = await self.backend.run(
            await self.job(_FLOOD, seconds=60, output_kb=(_MEGABYTES + 1) * 1024), watcher
        )
        rate = watcher.size / 1e6 / (time.monotonic() - (watcher.at or began))
        wrote = watcher.files.get("digest.txt", b"").decode()
        return rate, wrote == watcher.total.hexdigest() and result.exit_code == 0


def _row(name: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    p50, load = statistics.median(ordered), os.getloadavg()[0]
    print(f"{name}: n={len(ordered)} p50 {1000 * p50:.0f} p95 {1000 * p95:.0f} ms, load {load:.1f}")


async def _any_moment() -> None:
    """Wait up to a second: the kubelet looks at Pods once in each, and measurements fall in step with it."""
    await asyncio.sleep(random.random())  # noqa: S311


async def _several(times: int, once: Callable[[], Awaitable[float]]) -> list[float]:
    return [await once() for _ in range(times)]


async def measure(settings: KubernetesSettings, times: int) -> None:
    """Measure, and print one row after the other."""
    cold = Measurement(settings, pool=0)
    await cold.backend.start()
    try:
        raw, first = [], []
        for _ in range(times):
            await _any_moment()
            raw.append(await cold.raw())
            await _any_moment()
            first.append(await cold.first_byte())
        _row("create call -> Running seen (raw)", [running for running, _ in raw])
        _row("create call -> first byte (raw)", [byte for _, byte in raw])
        _row("cold run: request -> first byte", first)
        rate, exact = await cold.flood()
        print(f"output: {rate:.1f} MB/s, {'byte-exact' if exact else 'BYTES ARE MISSING'}")
    finally:
        await cold.backend.close()
    warm = Measurement(settings, pool=1)
    await warm.backend.start()
    try:
        await warm.backend.warm([(Language.PYTHON, IMAGES[Language.PYTHON])])
        _row("warm run: request -> first byte", await _several(2 * times, warm.warm))
    finally:
        await warm.backend.close()
