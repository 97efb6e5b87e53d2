"""Ready sandboxes: started before they are needed, used once, refilled in the background by demand."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial

from engine.models import Language, Limits
from engine.sandbox.api.driver import STANDARD_LIMITS, Sandbox, SandboxDriver, SandboxSpec
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.pool_status import PoolStatus
from engine.sandbox.run.ready.head_start import HeadStarts
from engine.sandbox.run.ready.places import Places

MAX_AGE_SECONDS = 600.0
_RETRY_SECONDS = 10.0
_RECENT_SECONDS = 60.0
"""How long a miss counts."""
_SANDBOX_MB = 32
"""The memory of a ready sandbox, measured: 21 to 30 MB."""


@dataclass(slots=True)
class ImagePool:
    """The ready sandboxes of one image."""

    language: Language
    image: str
    digest: str = ""
    """The image's digest when it was last filled."""
    sandboxes: deque[Sandbox] = field(default_factory=deque)
    trouble: str = ""
    """Why it cannot be filled, if it cannot."""
    misses: deque[float] = field(default_factory=deque)
    """When a run recently found it empty."""

    def wanted(self, least: int, most: int, now: float) -> int:
        """Return how many should be ready: the least, and one more for each recent miss."""
        while self.misses and now - self.misses[0] > _RECENT_SECONDS:
            self.misses.popleft()
        return min(max(least, most), least + len(self.misses)) if least else 0


class Pool:
    """Ready sandboxes by image. Each is taken once and never comes back."""

    def __init__(
        self,
        driver: SandboxDriver,
        least: int,
        remove: Callable[[Sandbox], None],
        most: int = 0,
        memory_mb: int = 512,
        create: Callable[[str, Language, Limits], Awaitable[Sandbox]] | None = None,
        runs_wait: Callable[[], bool] = lambda: False,
    ) -> None:
        self._driver = driver
        self._create = create or self._create_standard
        self._least = least
        self._most = most
        self._capacity = memory_mb // _SANDBOX_MB
        self._remove = remove
        self._image_pools: dict[tuple[Language, str], ImagePool] = {}
        self._refill = asyncio.Event()
        self._head_starts = HeadStarts(self._refill.set, runs_wait)
        self._places = Places()
        self._proved = asyncio.Event()

    def stock(self, language: Language, image: str) -> None:
        """Keep sandboxes of this image ready from now on."""
        self._image_pools.setdefault((language, image), ImagePool(language, image))
        self._refill.set()

    def open(self, proved: bool) -> None:
        """Fill while isolation is proved, and not otherwise."""
        if proved:
            self._proved.set()
        else:
            self._proved.clear()

    @property
    def image_pools(self) -> tuple[ImagePool, ...]:
        """Return the pools of all images."""
        return tuple(self._image_pools.values())

    @property
    def status(self) -> tuple[PoolStatus, ...]:
        """Return how full the pool of each image is."""
        return tuple(PoolStatus(one.image, len(one.sandboxes), self.wanted(one)) for one in self.image_pools)

    async def take(self, spec: SandboxSpec) -> Sandbox | None:
        """Return a ready sandbox, verified and resized, or None: then create one.

        Only a sandbox of the very image in the specification is returned.
        """
        pool = self._of(spec) if self._suits(spec) else None
        if pool is None:
            return None
        while pool.sandboxes:
            sandbox = pool.sandboxes.popleft()
            self._head_starts.begin(sandbox.id)
            if await self._fits(sandbox, spec):
                return sandbox
            self._remove(sandbox)
        pool.misses.append(time.monotonic())
        self._refill.set()
        return None

    def ran(self, sandbox: Sandbox) -> None:
        """Make the next sandbox soon, since the run that took this one ended."""
        self._head_starts.ran(sandbox.id)

    def _suits(self, spec: SandboxSpec) -> bool:
        """Return whether a ready sandbox can become what was specified; without resizing it already is."""
        same = (spec.limits.memory_mb, spec.limits.cpus) == (STANDARD_LIMITS.memory_mb, STANDARD_LIMITS.cpus)
        return spec.poolable and (same or self._driver.live_resize)

    def wanted(self, pool: ImagePool) -> int:
        """Return how many sandboxes of an image should be ready, by recent demand."""
        return pool.wanted(self._least, self._most, time.monotonic())

    def _of(self, spec: SandboxSpec) -> ImagePool | None:
        """Return the pool of an image; if there is none, look soon whether an image was rebuilt."""
        same = [one for one in self.image_pools if one.language == spec.language]
        found = next((one for one in same if one.digest == spec.image_digest), None)
        if same and found is None:
            self._refill.set()
        return found

    def _has_capacity(self, pool: ImagePool) -> bool:
        """Return whether one more may be ready: within demand and, beyond the least, within the memory."""
        count = len(pool.sandboxes)
        total = sum(len(each.sandboxes) for each in self.image_pools)
        return count < self.wanted(pool) and (count < self._least or total < self._capacity)

    async def _fits(self, sandbox: Sandbox, spec: SandboxSpec) -> bool:
        if sandbox.image_digest != spec.image_digest or sandbox.changed or sandbox.superseded:
            return False
        try:
            if sandbox.paused:
                sandbox.pause(False)
            await sandbox.verify()
        except SandboxUnavailable:
            return False
        return sandbox.resize(spec.limits)

    async def keep_filled(self) -> None:
        """Refill until cancelled; remove what is too old."""
        while True:
            await self._proved.wait()
            self._refill.clear()
            filled = [await self._maintain(pool) for pool in self.image_pools]
            with contextlib.suppress(TimeoutError):
                seconds = MAX_AGE_SECONDS / 10 if all(filled) else _RETRY_SECONDS
                async with asyncio.timeout(seconds):
                    await self._refill.wait()

    async def _maintain(self, pool: ImagePool) -> bool:
        """Bring the pool of an image up to date; return whether that was possible."""
        self._recycle(pool)
        if not self._least:
            return True
        try:
            await self._follow_image(pool)
            while self._has_capacity(pool):
                if not await self._make(pool):
                    return False
        except SandboxUnavailable as error:
            pool.trouble = str(error)
            return False
        pool.trouble = ""
        return True

    async def _make(self, pool: ImagePool) -> bool:
        """Make a sandbox ready; return whether there was place for it. Raises SandboxUnavailable."""
        create = partial(self._create, pool.digest, pool.language, STANDARD_LIMITS)
        sandbox = await self._places.make(create)
        if sandbox is None:
            return False
        sandbox.pause(True)
        pool.sandboxes.append(sandbox)
        return True

    @property
    def gives_way(self) -> bool:
        """Whether none is made, because one that is needed found no place."""
        return self._places.full

    def give_way(self) -> None:
        """Remove a ready sandbox, and make none for a while: one that is needed finds no place."""
        self._places.give_way()
        fullest = max(self.image_pools, key=lambda pool: len(pool.sandboxes), default=None)
        if fullest and fullest.sandboxes:
            self._remove(fullest.sandboxes.popleft())

    async def _follow_image(self, pool: ImagePool) -> None:
        """Drop the sandboxes of an image that was rebuilt. Raises SandboxUnavailable."""
        known = self._driver.known_image_digest(pool.image)
        digest = known or await self._driver.image_digest(pool.image)
        if digest != pool.digest:
            self._clear(pool)
            pool.digest = digest

    async def _create_standard(self, digest: str, language: Language, limits: Limits) -> Sandbox:
        return await self._driver.create(SandboxSpec(digest, language, limits, spare=True))

    def replace_superseded(self) -> None:
        """Refill soon where a new sandbox would be observed, and a ready one is not."""
        if any(sandbox.superseded for pool in self.image_pools for sandbox in pool.sandboxes):
            self._refill.set()

    def _recycle(self, pool: ImagePool) -> None:
        """Remove what is superseded or too old, and what exceeds recent demand."""
        superseded = [sandbox for sandbox in pool.sandboxes if sandbox.superseded]
        for sandbox in superseded:
            pool.sandboxes.remove(sandbox)
            self._remove(sandbox)
        while pool.sandboxes and time.monotonic() - pool.sandboxes[0].created_at > MAX_AGE_SECONDS:
            self._remove(pool.sandboxes.popleft())
        while len(pool.sandboxes) > self.wanted(pool):
            self._remove(pool.sandboxes.popleft())

    def _clear(self, pool: ImagePool) -> None:
        while pool.sandboxes:
            self._remove(pool.sandboxes.popleft())

    def clear(self) -> None:
        """Remove every ready sandbox."""
        for pool in self.image_pools:
            self._clear(pool)
