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
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.container_spec import Extras
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable, unavailable
from engine.sandbox.drivers.docker.pool import Pool
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.results import result_not_started
from engine.sandbox.run.session_execution import SessionExecution

Rooms = Callable[[Job], Awaitable[tuple[tuple[str, str], ...]]]
"""Says which volumes a session's sandbox is made with, and where they are mounted."""


@dataclass
class SessionRecord:
    """One session's sandbox, once there is one, and what was kept of its files."""

    principal: str
    container: Container | None = None
    room: str = ""
    """The name under which its packages lie, once there is one: its own, or that of a spare."""
    known: dict[str, str] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class SessionSandboxes:
    """Runs orders in sandboxes that stay. A sandbox never serves another principal than its first."""

    def __init__(
        self,
        maker: ContainerFactory,
        remove: Callable[[Container], None],
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
        self._by_id: dict[str, SessionRecord] = {}

    @contextlib.asynccontextmanager
    async def turn(self, job: Job) -> AsyncIterator[None]:
        """Wait until nothing else goes on in a job's session; a job without one waits for nothing."""
        if not job.session:
            yield
            return
        async with self._of(job).lock:
            yield

    async def run(self, job: Job, watcher: Watcher, check: Callable[[Container], Awaitable[None]]) -> Result:
        """Run one order. Whoever calls holds its turn. Raises SandboxUnavailable."""
        kept = self._of(job)
        if kept.container and (why := _unfit(kept.container, job)):
            return result_not_started(str(kept.container.host["Runtime"]), KillReason.POLICY, why)
        asked = time.monotonic()
        container = await self._wake(kept, job)
        kind = "sandbox.acquired" if container.created_at < asked else "sandbox.created"
        execution = self._execution(kept, container, job, watcher)
        try:
            await check(container)
            facts = {
                "sandbox": container.id,
                "image": container.image_id,
                "kernel": container.kernel,
                "session": job.session,
            }
            await watcher.happened(kind, facts | {"runtime": str(container.host["Runtime"])})
            self._running[job.run] = execution
            started = {"sandbox": container.id, "limits": job.limits.model_dump()}
            return await execution.finish(partial(watcher.happened, "run.started", started))
        finally:
            self._running.pop(job.run, None)
            self._after(kept, container, execution)

    def _execution(
        self, kept: SessionRecord, container: Container, job: Job, watcher: Watcher
    ) -> SessionExecution:
        before = container.cgroup.read() if container.cgroup else None
        keeper = self._keeper()
        return SessionExecution(container, job, watcher, keeper, self._grace, before=before, known=kept.known)

    def _after(self, kept: SessionRecord, container: Container, execution: SessionExecution) -> None:
        """Let a sandbox that can take another order rest, and remove any other."""
        if kept.container is container and execution.began and execution.intact:
            container.pause(True)
        else:
            self._drop(kept, container)

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
        spares = {
            container.room for image_pool in self.spares.image_pools for container in image_pool.containers
        }
        return frozenset(spares | self._making | {kept.room or id for id, kept in self._by_id.items()})

    def lives(self, session: str) -> bool:
        """Whether a session has a sandbox with what ran in it before."""
        kept = self._by_id.get(session)
        return kept is not None and kept.container is not None

    def end(self, session: str) -> None:
        """Remove a session's sandbox, and forget it."""
        kept = self._by_id.pop(session, None)
        if kept is not None and kept.container is not None:
            self._drop(kept, kept.container)

    def renew(self, session: str) -> None:
        """Remove a session's sandbox; its next order gets a new one."""
        kept = self._by_id.get(session)
        if kept is not None and kept.container is not None:
            self._drop(kept, kept.container)

    def end_all(self) -> None:
        """Remove every sandbox that stays, and those that wait."""
        self.spares.empty()
        for session in list(self._by_id):
            self.end(session)

    def _of(self, job: Job) -> SessionRecord:
        kept = self._by_id.setdefault(job.session, SessionRecord(job.principal))
        if kept.principal != job.principal:
            raise SandboxUnavailable("this sandbox is somebody else's")
        return kept

    async def _wake(self, kept: SessionRecord, job: Job) -> Container:
        """Return the session's sandbox, thawed, proved again and fitted; a new one where it has none."""
        if kept.container is not None and not await self._proved(kept.container, job):
            self._drop(kept, kept.container)
            raise SandboxUnavailable("the sandbox is no more, and its state is lost", "Run it again.")
        if kept.container is None:
            spare = None if kept.room else await self.spares.take(job)
            kept.container = spare or await self._make(job, kept.room or job.session)
            kept.room = kept.container.room
        return kept.container

    async def _make(self, job: Job, room: str) -> Container:
        extras = Extras(stays=True, layers=await self._rooms(replace(job, session=room)))
        container = await self._maker.make(job.image, job.language, job.limits, extras)
        container.room = room
        return container

    async def _make_spare(self, image: str, language: Language, limits: Limits) -> Container:
        room = f"spare-{uuid.uuid4().hex[:12]}"
        self._making.add(room)
        try:
            return await self._make(Job("", language, image, b"", (), limits), room)
        except (APIError, DockerUnreachable) as error:
            raise unavailable(error) from error
        finally:
            asyncio.get_running_loop().call_soon(self._making.discard, room)

    async def _proved(self, container: Container, job: Job) -> bool:
        try:
            if container.paused:
                container.pause(False)
            await container.verify()
        except (SandboxUnavailable, APIError, DockerUnreachable):
            return False
        return container.resize(job.limits) or _same(container, job)

    def _drop(self, kept: SessionRecord, container: Container) -> None:
        if kept.container is container:
            kept.container = None
            kept.known.clear()
            self._remove(container)


def _same(container: Container, job: Job) -> bool:
    return (container.limits.memory_mb, container.limits.cpus) == (job.limits.memory_mb, job.limits.cpus)


def _unfit(container: Container, job: Job) -> str:
    """Say what of a grant the sandbox cannot be given any more: disk and processes are fixed at its start."""
    if (container.limits.disk_mb, container.limits.processes) == (job.limits.disk_mb, job.limits.processes):
        return ""
    return "its sandbox has another limit of disk or processes: restart it, or ask for the same"
