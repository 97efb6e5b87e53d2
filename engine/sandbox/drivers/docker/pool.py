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
from engine.sandbox.drivers.docker.container import Box
from engine.sandbox.drivers.docker.container_factory import Maker
from engine.sandbox.drivers.docker.docker_client import DaemonLost

MAX_AGE_SECONDS = 600.0
_RETRY_SECONDS = 10.0
_LATELY_SECONDS = 60.0
"""How long a demand that was not met counts."""
_BOX_MB = 32
"""What a ready sandbox costs, measured: 21 to 30 MB."""
_STANDARD = Limits()


@dataclass(slots=True)
class Shelf:
    """The ready sandboxes of one image."""

    language: Language
    image: str
    boxes: deque[Box] = field(default_factory=deque)
    trouble: str = ""
    """Why it cannot be filled, where it cannot."""
    missed: deque[float] = field(default_factory=deque)
    """When somebody found it empty, of late."""

    def wanted(self, least: int, most: int, now: float) -> int:
        """Return how many should wait: one more than the least for each who found it empty of late."""
        while self.missed and now - self.missed[0] > _LATELY_SECONDS:
            self.missed.popleft()
        return min(max(least, most), least + len(self.missed)) if least else 0


class Stock(NamedTuple):
    """How many sandboxes of an image wait ready, and how many should."""

    image: str
    ready: int
    wanted: int


class Pool:
    """Shelves by image. Whoever takes a box owns it; nothing ever comes back."""

    def __init__(
        self,
        maker: Maker,
        least: int,
        remove: Callable[[Box], None],
        most: int = 0,
        memory_mb: int = 512,
        make: Callable[[str, Language, Limits], Awaitable[Box]] | None = None,
    ) -> None:
        self._make = make or maker.make
        self._least = least
        self._most = most
        self._room = memory_mb // _BOX_MB
        self._remove = remove
        self._shelves: dict[tuple[Language, str], Shelf] = {}
        self._wanted = asyncio.Event()
        self._proved = asyncio.Event()

    def stock(self, language: Language, image: str) -> None:
        """Keep sandboxes of this image ready from here on."""
        self._shelves.setdefault((language, image), Shelf(language, image))
        self._wanted.set()

    def open(self, proved: bool) -> None:
        """Fill while isolation is proved, and not otherwise."""
        if proved:
            self._proved.set()
        else:
            self._proved.clear()

    @property
    def shelves(self) -> tuple[Shelf, ...]:
        """Return the shelves as they stand."""
        return tuple(self._shelves.values())

    @property
    def stocks(self) -> tuple[Stock, ...]:
        """Return how full each shelf is."""
        return tuple(Stock(shelf.image, len(shelf.boxes), self.wanted(shelf)) for shelf in self.shelves)

    async def take(self, job: Job) -> Box | None:
        """Return a ready box that was checked again and fits the job's limits, or None: then start one cold.

        Its image is the one that was approved; without an approval, what the name stands for.
        """
        shelf = self._shelves.get((job.language, job.image))
        if shelf is None or not _poolable(job.limits):
            return None
        while shelf.boxes:
            box = shelf.boxes.popleft()
            self._wanted.set()
            if await self._fit(box, job):
                return box
            self._remove(box)
        shelf.missed.append(time.monotonic())
        return None

    def wanted(self, shelf: Shelf) -> int:
        """Return how many sandboxes should wait on a shelf, by what was asked for of late."""
        return shelf.wanted(self._least, self._most, time.monotonic())

    def _has_room(self, shelf: Shelf) -> bool:
        """Whether one more may wait: within what is wanted and, beyond the least, within the memory."""
        count = len(shelf.boxes)
        total = sum(len(each.boxes) for each in self.shelves)
        return count < self.wanted(shelf) and (count < self._least or total < self._room)

    async def _fit(self, box: Box, job: Job) -> bool:
        if job.image_digest not in {"", box.image_id} or box.touched:
            return False
        try:
            if box.frozen:
                box.pause(False)
            by_name = not job.image_digest and not box.vouched
            await asyncio.gather(box.verify(), *([box.verify_image()] if by_name else []))
        except (SandboxUnavailable, APIError, DaemonLost):
            return False
        return box.fit(job.limits)

    async def keep_filled(self) -> None:
        """Refill for ever; recycle what is too old."""
        while True:
            await self._proved.wait()
            self._wanted.clear()
            trouble = False
            for shelf in self.shelves:
                self._recycle(shelf)
                trouble |= not await self._fill(shelf)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(
                    self._wanted.wait(), _RETRY_SECONDS if trouble else MAX_AGE_SECONDS / 10
                )

    async def _fill(self, shelf: Shelf) -> bool:
        while self._has_room(shelf):
            try:
                box = await self._make(shelf.image, shelf.language, _STANDARD)
            except SandboxUnavailable as error:
                shelf.trouble = str(error)
                return False
            box.pause(True)
            shelf.boxes.append(box)
            shelf.trouble = ""
        return True

    def _recycle(self, shelf: Shelf) -> None:
        """Remove what is too old, and what nobody has asked for of late."""
        while shelf.boxes and time.monotonic() - shelf.boxes[0].born > MAX_AGE_SECONDS:
            self._remove(shelf.boxes.popleft())
        while len(shelf.boxes) > self.wanted(shelf):
            self._remove(shelf.boxes.popleft())

    def empty(self) -> None:
        """Have every ready box removed."""
        for shelf in self.shelves:
            while shelf.boxes:
                self._remove(shelf.boxes.popleft())


def _poolable(limits: Limits) -> bool:
    """Disk and processes are fixed when a sandbox is made; the rest can be set afterwards."""
    return limits.disk_mb == _STANDARD.disk_mb and limits.processes == _STANDARD.processes
