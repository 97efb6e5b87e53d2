"""Ready sandboxes: started before they are needed, used once, refilled in the background by demand."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from docker.errors import APIError

from engine.models import Language, Limits
from engine.sandbox.api.job import Job, SandboxUnavailable
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable

MAX_AGE_SECONDS = 600.0
_RETRY_SECONDS = 10.0
_LATELY_SECONDS = 60.0
"""How long a demand that was not met counts."""
_BOX_MB = 32
"""What a ready sandbox costs, measured: 21 to 30 MB."""
_STANDARD = Limits()


@dataclass(slots=True)
class ImagePool:
    """The ready sandboxes of one image."""

    language: Language
    image: str
    containers: deque[Container] = field(default_factory=deque)
    trouble: str = ""
    """Why it cannot be filled, where it cannot."""
    misses: deque[float] = field(default_factory=deque)
    """When somebody found it empty, of late."""

    def wanted(self, least: int, most: int, now: float) -> int:
        """Return how many should wait: one more than the least for each who found it empty of late."""
        while self.misses and now - self.misses[0] > _LATELY_SECONDS:
            self.misses.popleft()
        return min(max(least, most), least + len(self.misses)) if least else 0


class PoolStatus(NamedTuple):
    """How many sandboxes of an image wait ready, and how many should."""

    image: str
    ready: int
    wanted: int


class Pool:
    """Shelves by image. Whoever takes a box owns it; nothing ever comes back."""

    def __init__(
        self,
        maker: ContainerFactory,
        least: int,
        remove: Callable[[Container], None],
        most: int = 0,
        memory_mb: int = 512,
        make: Callable[[str, Language, Limits], Awaitable[Container]] | None = None,
    ) -> None:
        self._make = make or maker.make
        self._least = least
        self._most = most
        self._room = memory_mb // _BOX_MB
        self._remove = remove
        self._shelves: dict[tuple[Language, str], ImagePool] = {}
        self._wanted = asyncio.Event()
        self._proved = asyncio.Event()

    def stock(self, language: Language, image: str) -> None:
        """Keep sandboxes of this image ready from here on."""
        self._shelves.setdefault((language, image), ImagePool(language, image))
        self._wanted.set()

    def open(self, proved: bool) -> None:
        """Fill while isolation is proved, and not otherwise."""
        if proved:
            self._proved.set()
        else:
            self._proved.clear()

    @property
    def image_pools(self) -> tuple[ImagePool, ...]:
        """Return the shelves as they stand."""
        return tuple(self._shelves.values())

    @property
    def stocks(self) -> tuple[PoolStatus, ...]:
        """Return how full each shelf is."""
        return tuple(
            PoolStatus(image_pool.image, len(image_pool.containers), self.wanted(image_pool))
            for image_pool in self.image_pools
        )

    async def take(self, job: Job) -> Container | None:
        """Return a ready box that was checked again and fits the job's limits, or None: then start one cold.

        Its image is the one that was approved; without an approval, what the name stands for.
        """
        image_pool = self._shelves.get((job.language, job.image))
        if image_pool is None or not _poolable(job.limits):
            return None
        while image_pool.containers:
            container = image_pool.containers.popleft()
            self._wanted.set()
            if await self._fit(container, job):
                return container
            self._remove(container)
        image_pool.misses.append(time.monotonic())
        return None

    def wanted(self, image_pool: ImagePool) -> int:
        """Return how many sandboxes should wait on a shelf, by what was asked for of late."""
        return image_pool.wanted(self._least, self._most, time.monotonic())

    def _has_room(self, image_pool: ImagePool) -> bool:
        """Whether one more may wait: within what is wanted and, beyond the least, within the memory."""
        count = len(image_pool.containers)
        total = sum(len(each.containers) for each in self.image_pools)
        return count < self.wanted(image_pool) and (count < self._least or total < self._room)

    async def _fit(self, container: Container, job: Job) -> bool:
        if job.image_digest not in {"", container.image_id} or container.touched:
            return False
        try:
            if container.paused:
                container.pause(False)
            by_name = not job.image_digest and not container.unchanged
            await asyncio.gather(container.verify(), *([container.verify_image()] if by_name else []))
        except (SandboxUnavailable, APIError, DockerUnreachable):
            return False
        return container.resize(job.limits)

    async def keep_filled(self) -> None:
        """Refill for ever; recycle what is too old."""
        while True:
            await self._proved.wait()
            self._wanted.clear()
            trouble = False
            for image_pool in self.image_pools:
                self._recycle(image_pool)
                trouble |= not await self._fill(image_pool)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._wanted.wait(), _RETRY_SECONDS if trouble else MAX_AGE_SECONDS / 10
                )

    async def _fill(self, image_pool: ImagePool) -> bool:
        while self._has_room(image_pool):
            try:
                container = await self._make(image_pool.image, image_pool.language, _STANDARD)
            except SandboxUnavailable as error:
                image_pool.trouble = str(error)
                return False
            container.pause(True)
            image_pool.containers.append(container)
            image_pool.trouble = ""
        return True

    def _recycle(self, image_pool: ImagePool) -> None:
        """Remove what is too old, and what nobody has asked for of late."""
        while (
            image_pool.containers and time.monotonic() - image_pool.containers[0].created_at > MAX_AGE_SECONDS
        ):
            self._remove(image_pool.containers.popleft())
        while len(image_pool.containers) > self.wanted(image_pool):
            self._remove(image_pool.containers.popleft())

    def empty(self) -> None:
        """Have every ready box removed."""
        for image_pool in self.image_pools:
            while image_pool.containers:
                self._remove(image_pool.containers.popleft())


def _poolable(limits: Limits) -> bool:
    """Disk and processes are fixed when a sandbox is made; the rest can be set afterwards."""
    return limits.disk_mb == _STANDARD.disk_mb and limits.processes == _STANDARD.processes
