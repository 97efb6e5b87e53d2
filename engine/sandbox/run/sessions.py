"""The sandboxes of sessions: one for each session, one request at a time, paused in between."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

from engine.models import KillReason, Language, Limits, Result
from engine.sandbox.api.driver import Mounts, Sandbox, SandboxDriver, SandboxSpec
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.guest_port import GuestPort
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.results import result_not_started
from engine.sandbox.guest_protocol.orders import give_order
from engine.sandbox.network.guest_port import guest_port
from engine.sandbox.network.session_port import SessionPort
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.ready.pool import Pool
from engine.sandbox.run.results import acquired
from engine.sandbox.run.session_execution import SessionExecution

SessionVolumes = Callable[[str, Language], Awaitable[Mounts]]
"""Returns the volumes that the sandbox of a session is created with."""


@dataclass
class SessionRecord:
    """One session: its sandbox, once there is one, and its artifacts."""

    principal: str
    sandbox: Sandbox | None = None
    package_volume: str = ""
    """The key of its package volume, once there is one: its own, or that of a spare sandbox."""
    installed: bool = False
    """Whether something may have been installed in it."""
    shown: int = 0
    """How many of its ports are shown: while one is, its processes go on between executions."""
    awake: bool = False
    """Whether its sandbox was told to let them."""
    known: dict[str, str] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class SessionSandboxes:
    """Runs requests of sessions. A sandbox only ever serves one principal."""

    def __init__(
        self,
        driver: SandboxDriver,
        remove: Callable[[Sandbox], None],
        keeper: Callable[[], ArtifactKeeper | None],
        grace: float,
        executions: dict[str, Execution],
        volumes: SessionVolumes,
        spare: int = 0,
    ) -> None:
        self.spares = Pool(driver, spare, self._discard, create=self._create_spare)
        """Unused sandboxes for sessions whose grant has the standard disk and processes."""
        self._driver = driver
        self._remove = remove
        self._keeper = keeper
        self._grace = grace
        self._executions = executions
        self._volumes = volumes
        self._volume_of: dict[str, str] = {}
        """The key of the package volume of each sandbox, by the sandbox's id."""
        self._creating: set[str] = set()
        self._by_id: dict[str, SessionRecord] = {}

    # --- one request

    @contextlib.asynccontextmanager
    async def exclusive(self, job: Job) -> AsyncIterator[None]:
        """Wait until nothing else runs in a job's session; a job without one waits for nothing."""
        if not job.session:
            yield
            return
        async with self._record(job).lock:
            yield

    async def run(self, job: Job, watcher: Watcher, check: Callable[[Sandbox], Awaitable[None]]) -> Result:
        """Run one request, while its session is held exclusively. Raises SandboxUnavailable."""
        record = self._record(job)
        if record.sandbox and (why := _fixed_limits_differ(record.sandbox, job)):
            return result_not_started(record.sandbox.runtime, KillReason.POLICY, why)
        began = time.monotonic()
        sandbox = await self._wake(record, job)
        execution = self._execution(record, sandbox, job, watcher)
        try:
            await check(sandbox)
            await watcher.event(acquired(sandbox, began, job.session))
            self._executions[job.run] = execution
            result = await execution.run()
        finally:
            self._executions.pop(job.run, None)
            self._after(record, sandbox, execution)
        with contextlib.suppress(SandboxUnavailable):
            await self._settle(record)
        return result

    def _execution(
        self, record: SessionRecord, sandbox: Sandbox, job: Job, watcher: Watcher
    ) -> SessionExecution:
        before, keeper = sandbox.usage_now(), self._keeper()
        return SessionExecution(sandbox, job, watcher, keeper, self._grace, before=before, known=record.known)

    def _after(self, record: SessionRecord, sandbox: Sandbox, execution: SessionExecution) -> None:
        """Pause a sandbox that can run another request, and remove any other."""
        if record.sandbox is sandbox and execution.began and execution.intact:
            sandbox.pause(not record.shown and not record.awake)
        else:
            self._drop(record, sandbox)

    # --- between requests

    async def guest_port(self, session: str, port: int) -> GuestPort:
        """Return a port of a session's loopback; until it is closed, processes go on between executions.

        Raises SandboxUnavailable.
        """
        record = self._by_id.get(session)
        if record is None or record.sandbox is None:
            raise SandboxUnavailable("its session has ended, or nothing has run in it yet")
        record.shown += 1
        try:
            return SessionPort(await self._reach(record, port), partial(self._hide, record))
        except BaseException:
            await self._hide(record)
            raise

    async def _reach(self, record: SessionRecord, port: int) -> GuestPort:
        await self._settle_idle(record)
        if record.sandbox is None or record.sandbox.paused:
            raise SandboxUnavailable("its session is paused, or waits for its turn", "Try again.")
        return await guest_port(record.sandbox, port)

    async def _hide(self, record: SessionRecord) -> None:
        record.shown -= 1
        with contextlib.suppress(SandboxUnavailable):
            await self._settle_idle(record)

    async def _settle_idle(self, record: SessionRecord) -> None:
        """Settle a session in which nothing is executed; any other is settled after its execution."""
        if not record.lock.locked():
            async with record.lock:
                await self._settle(record)

    async def _settle(self, record: SessionRecord) -> None:
        """Let the processes of a session go on if one of its ports is shown, otherwise stand still.

        Raises SandboxUnavailable: its sandbox did not answer, and was removed.
        """
        sandbox, awake = record.sandbox, record.shown > 0
        if sandbox is None or (record.awake, sandbox.paused) == (awake, not awake):
            return
        sandbox.pause(False)
        try:
            if record.awake != awake:
                await give_order(sandbox, "wake" if awake else "rest")
                record.awake = awake
        except SandboxUnavailable:
            self._drop(record, sandbox)
            raise
        sandbox.pause(not awake)

    # --- sessions

    def __iter__(self) -> Iterator[str]:
        """Iterate over the open sessions."""
        return iter(tuple(self._by_id))

    def has_state(self, session: str) -> bool:
        """Return whether a session has the state of earlier executions."""
        record = self._by_id.get(session)
        return record is not None and record.sandbox is not None

    def end(self, session: str) -> None:
        """End a session and remove its sandbox."""
        record = self._by_id.pop(session, None)
        if record is not None and record.sandbox is not None:
            self._drop(record, record.sandbox)

    def reset(self, session: str) -> None:
        """Discard the state of a session; its next execution gets a new sandbox."""
        record = self._by_id.get(session)
        if record is not None and record.sandbox is not None:
            self._drop(record, record.sandbox)

    def resume_all(self) -> None:
        """Resume every sandbox that waits for its next execution; its state stays."""
        for record in self._by_id.values():
            if record.sandbox is not None and record.sandbox.paused:
                record.sandbox.pause(False)

    def end_all(self) -> None:
        """Remove the sandboxes of all sessions, and the spare ones."""
        self.spares.clear()
        for session in list(self._by_id):
            self.end(session)

    # --- packages

    def package_volume(self, job: Job) -> str:
        """Return the key of the volume for the packages of a job's session."""
        record = self._record(job)
        record.package_volume = record.package_volume or job.session
        record.installed = True
        return record.package_volume

    def image_digest(self, job: Job) -> str:
        """Return the digest of the image that a job's session has, or would be created with."""
        sandbox = self._record(job).sandbox
        return sandbox.image_digest if sandbox else job.image_digest

    @property
    def package_volumes(self) -> frozenset[str]:
        """The keys of the package volumes in use."""
        named = {record.package_volume or id for id, record in self._by_id.items()}
        return frozenset(named | self._creating | set(self._volume_of.values()))

    # --- sandboxes

    def _record(self, job: Job) -> SessionRecord:
        record = self._by_id.setdefault(job.session, SessionRecord(job.principal))
        if record.principal != job.principal:
            raise SandboxUnavailable("this session belongs to another principal")
        return record

    async def _wake(self, record: SessionRecord, job: Job) -> Sandbox:
        """Return the session's sandbox, resumed, verified and resized; a new one if it has none."""
        if record.sandbox is not None and not await self._usable(record.sandbox, job):
            self._drop(record, record.sandbox)
            raise SandboxUnavailable("the session's sandbox is gone, and its state is lost", "Run it again.")
        if record.sandbox is None:
            spec = SandboxSpec(job.image_digest, job.language, job.limits, installed=record.installed)
            spare = None if record.package_volume else await self.spares.take(spec)
            key = record.package_volume or job.session
            record.sandbox = spare or await self._create(spec, key)
            record.package_volume = self._volume_of[record.sandbox.id]
        return record.sandbox

    async def _create(self, spec: SandboxSpec, key: str) -> Sandbox:
        volumes = await self._volumes(key, spec.language)
        sandbox = await self._driver.create(replace(spec, layers=volumes, session=True))
        self._volume_of[sandbox.id] = key
        return sandbox

    async def _create_spare(self, digest: str, language: Language, limits: Limits) -> Sandbox:
        key = f"spare-{uuid.uuid4().hex[:12]}"
        self._creating.add(key)
        try:
            return await self._create(SandboxSpec(digest, language, limits, spare=True), key)
        finally:
            self._creating.discard(key)

    async def _usable(self, sandbox: Sandbox, job: Job) -> bool:
        try:
            if sandbox.paused:
                sandbox.pause(False)
            await sandbox.verify()
        except SandboxUnavailable:
            return False
        same = (sandbox.limits.memory_mb, sandbox.limits.cpus) == (job.limits.memory_mb, job.limits.cpus)
        return sandbox.resize(job.limits) or same

    def _drop(self, record: SessionRecord, sandbox: Sandbox) -> None:
        if record.sandbox is sandbox:
            record.sandbox, record.awake = None, False
            record.known.clear()
            self._discard(sandbox)

    def _discard(self, sandbox: Sandbox) -> None:
        self._volume_of.pop(sandbox.id, None)
        self._remove(sandbox)


def _fixed_limits_differ(sandbox: Sandbox, job: Job) -> str:
    """Return why a sandbox cannot have the limits of a job: disk and processes are fixed at its start."""
    limits = sandbox.limits
    if (limits.disk_mb, limits.processes) == (job.limits.disk_mb, job.limits.processes):
        return ""
    return "its sandbox has another limit of disk or processes: restart it, or request the same"
