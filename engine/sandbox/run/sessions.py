"""The sandboxes that stay: one for each session, one order at a time, standing still in between."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from docker.errors import APIError

from engine.models import KillReason, Language, Limits, Result
from engine.sandbox.api.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.drivers.docker.container import Box
from engine.sandbox.drivers.docker.container_factory import Maker
from engine.sandbox.drivers.docker.container_spec import Extras
from engine.sandbox.drivers.docker.docker_client import DaemonLost, unavailable
from engine.sandbox.drivers.docker.pool import Pool
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.results import unstarted
from engine.sandbox.run.session_execution import Staying

Rooms = Callable[[Job], Awaitable[tuple[tuple[str, str], ...]]]
"""Says which volumes a session's sandbox is made with, and where they are mounted."""


@dataclass
class Kept:
    """One session's sandbox, once there is one, and what was kept of its files."""

    principal: str
    box: Box | None = None
    room: str = ""
    """The name under which its packages lie, once there is one: its own, or that of a spare."""
    known: dict[str, str] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Sessions:
    """Runs orders in sandboxes that stay. A sandbox never serves another principal than its first."""

    def __init__(
        self,
        maker: Maker,
        remove: Callable[[Box], None],
        keeper: Callable[[], ArtifactKeeper | None],
        grace: float,
        running: dict[str, Execution],
        rooms: Rooms,
        spare: int = 0,
    ) -> None:
        self._rooms = rooms
        self._making: set[str] = set()
        self.spares = Pool(maker, spare, remove, make=self._make_spare)
        """Sandboxes that nobody has had yet, for sessions whose grant has the usual disk and processes."""
        self._maker = maker
        self._remove = remove
        self._keeper = keeper
        self._grace = grace
        self._running = running
        self._by_id: dict[str, Kept] = {}

    @contextlib.asynccontextmanager
    async def turn(self, job: Job) -> AsyncIterator[None]:
        """Wait until nothing else goes on in a job's session; a job without one waits for nothing."""
        if not job.session:
            yield
            return
        async with self._of(job).lock:
            yield

    async def run(self, job: Job, watcher: Watcher, check: Callable[[Box], Awaitable[None]]) -> Result:
        """Run one order. Whoever calls holds its turn. Raises SandboxUnavailable."""
        kept = self._of(job)
        if kept.box and (why := _unfit(kept.box, job)):
            return unstarted(str(kept.box.host["Runtime"]), KillReason.POLICY, why)
        asked = time.monotonic()
        box = await self._wake(kept, job)
        kind = "sandbox.taken" if box.born < asked else "sandbox.created"
        execution = self._execution(kept, box, job, watcher)
        try:
            await check(box)
            facts = {"sandbox": box.id, "image": box.image_id, "kernel": box.kernel, "session": job.session}
            await watcher.happened(kind, facts | {"runtime": str(box.host["Runtime"])})
            self._running[job.run] = execution
            started = {"sandbox": box.id, "limits": job.limits.model_dump()}
            return await execution.finish(partial(watcher.happened, "run.started", started))
        finally:
            self._running.pop(job.run, None)
            self._after(kept, box, execution)

    def _execution(self, kept: Kept, box: Box, job: Job, watcher: Watcher) -> Staying:
        before = box.cgroup.read() if box.cgroup else None
        keeper = self._keeper()
        return Staying(box, job, watcher, keeper, self._grace, before=before, known=kept.known)

    def _after(self, kept: Kept, box: Box, execution: Staying) -> None:
        """Let a sandbox that can take another order rest, and remove any other."""
        if kept.box is box and execution.began and execution.intact:
            box.pause(True)
        else:
            self._drop(kept, box)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the sessions that are not over."""
        return iter(tuple(self._by_id))

    def housed(self, job: Job) -> Job:
        """Return a job as one of the name under which its session's packages lie."""
        kept = self._of(job)
        kept.room = kept.room or job.session
        return replace(job, session=kept.room)

    @property
    def rooms(self) -> frozenset[str]:
        """The names under which packages may lie."""
        spares = {box.room for shelf in self.spares.shelves for box in shelf.boxes}
        return frozenset(spares | self._making | {kept.room or id for id, kept in self._by_id.items()})

    def lives(self, session: str) -> bool:
        """Whether a session has a sandbox with what ran in it before."""
        kept = self._by_id.get(session)
        return kept is not None and kept.box is not None

    def end(self, session: str) -> None:
        """Remove a session's sandbox, and forget it."""
        kept = self._by_id.pop(session, None)
        if kept is not None and kept.box is not None:
            self._drop(kept, kept.box)

    def renew(self, session: str) -> None:
        """Remove a session's sandbox; its next order gets a new one."""
        kept = self._by_id.get(session)
        if kept is not None and kept.box is not None:
            self._drop(kept, kept.box)

    def end_all(self) -> None:
        """Remove every sandbox that stays, and those that wait."""
        self.spares.empty()
        for session in list(self._by_id):
            self.end(session)

    def _of(self, job: Job) -> Kept:
        kept = self._by_id.setdefault(job.session, Kept(job.principal))
        if kept.principal != job.principal:
            raise SandboxUnavailable("this sandbox is somebody else's")
        return kept

    async def _wake(self, kept: Kept, job: Job) -> Box:
        """Return the session's sandbox, thawed, proved again and fitted; a new one where it has none."""
        if kept.box is not None and not await self._proved(kept.box, job):
            self._drop(kept, kept.box)
            raise SandboxUnavailable("the sandbox is no more, and its state is lost", "Run it again.")
        if kept.box is None:
            spare = None if kept.room else await self.spares.take(job)
            kept.box = spare or await self._make(job, kept.room or job.session)
            kept.room = kept.box.room
        return kept.box

    async def _make(self, job: Job, room: str) -> Box:
        extras = Extras(stays=True, layers=await self._rooms(replace(job, session=room)))
        box = await self._maker.make(job.image, job.language, job.limits, extras)
        box.room = room
        return box

    async def _make_spare(self, image: str, language: Language, limits: Limits) -> Box:
        room = f"spare-{uuid.uuid4().hex[:12]}"
        self._making.add(room)
        try:
            return await self._make(Job("", language, image, b"", (), limits), room)
        except (APIError, DaemonLost) as error:
            raise unavailable(error) from error
        finally:
            asyncio.get_running_loop().call_soon(self._making.discard, room)

    async def _proved(self, box: Box, job: Job) -> bool:
        try:
            if box.frozen:
                box.pause(False)
            await box.verify()
        except (SandboxUnavailable, APIError, DaemonLost):
            return False
        return box.fit(job.limits) or _same(box, job)

    def _drop(self, kept: Kept, box: Box) -> None:
        if kept.box is box:
            kept.box = None
            kept.known.clear()
            self._remove(box)


def _same(box: Box, job: Job) -> bool:
    return (box.limits.memory_mb, box.limits.cpus) == (job.limits.memory_mb, job.limits.cpus)


def _unfit(box: Box, job: Job) -> str:
    """Say what of a grant the sandbox cannot be given any more: disk and processes are fixed at its start."""
    if (box.limits.disk_mb, box.limits.processes) == (job.limits.disk_mb, job.limits.processes):
        return ""
    return "its sandbox has another limit of disk or processes: restart it, or ask for the same"
