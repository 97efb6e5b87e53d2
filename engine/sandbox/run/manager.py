"""The sandbox backend: composes a driver with scheduling, pools, sessions, packages and run control."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence

from engine.common.supervisor import Supervisor
from engine.models import Check, IsolationProof, KillReason, Language, Result, WorkspaceFile
from engine.models.snapshot import RunSnapshot
from engine.sandbox.api.capabilities import BackendCapabilities
from engine.sandbox.api.driver import SandboxDriver
from engine.sandbox.api.errors import SandboxUnavailable
from engine.sandbox.api.file_names import invalid_file_name
from engine.sandbox.api.guest_port import GuestPort
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.pool_status import PoolStatus
from engine.sandbox.api.results import result_not_started
from engine.sandbox.isolation import health
from engine.sandbox.packages.builder import INSTALLERS, PackageService
from engine.sandbox.run import heartbeat
from engine.sandbox.run.executor import JobExecutor
from engine.sandbox.run.isolation_guard import IsolationGuard
from engine.sandbox.run.ready.pool import Pool
from engine.sandbox.run.removal import SandboxRemover
from engine.sandbox.run.run_control import RunControl
from engine.sandbox.run.scheduler import FairScheduler
from engine.sandbox.run.sessions import SessionSandboxes
from engine.settings import SandboxSettings

_REAP_SECONDS = 60.0
_HEARTBEATS_TO_A_PROOF = 12
"""How often a proof that failed is tried again."""
_CLOSE_SECONDS = 20.0
POOLS = ("run", "session")


class SandboxManager:
    """Runs jobs in the sandboxes of a driver. Without a proof of isolation it runs nothing."""

    def __init__(
        self, settings: SandboxSettings, driver: SandboxDriver, keeper: ArtifactKeeper | None = None
    ) -> None:
        self.settings = settings
        self.driver = driver
        self.keeper = keeper
        self.control = RunControl(driver.runtime)
        self.supervisor = Supervisor()
        self.remover = SandboxRemover(driver, self.supervisor)
        self._scheduler = FairScheduler(settings.concurrent)
        self.pool = Pool(
            driver, settings.pool, self.remover.remove, settings.pool_most, settings.pool_memory_mb,
            runs_wait=lambda: self._scheduler.pending > 0,
        )  # fmt: skip
        self.packages = PackageService(settings, driver, self._run_admitted)
        self.sessions = self._session_sandboxes()
        self.guard = IsolationGuard(driver, self._known_images, self._open_pools)
        self._executor = self._job_executor()
        self._images = [f"pratique/{name}" for name in dict.fromkeys(settings.images.values())]
        self._chores: list[asyncio.Task[None]] = []

    def _session_sandboxes(self) -> SessionSandboxes:
        settings = self.settings
        sessions = SessionSandboxes(
            self.driver,
            self.remover.remove,
            lambda: self.keeper,
            settings.grace_seconds,
            self.control.executions,
            self.packages.session_volumes,
            settings.session_pool,
        )
        if settings.session_pool:
            image = f"pratique/{settings.session_images[Language.PYTHON]}"
            sessions.spares.stock(Language.PYTHON, image)
        return sessions

    def _job_executor(self) -> JobExecutor:
        return JobExecutor(
            self.driver,
            self.guard,
            self.pool,
            self.remover,
            self._scheduler,
            self.control,
            self.packages,
            self.sessions,
            lambda: self.keeper,
            self.settings.grace_seconds,
        )

    @property
    def _pools(self) -> tuple[Pool, Pool]:
        return self.pool, self.sessions.spares

    def _open_pools(self, proved: bool) -> None:
        for pool in self._pools:
            pool.open(proved)

    def _known_images(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._images, *(one.image for one in self.pool.image_pools)]))

    # --- life cycle

    async def start(self) -> None:
        """Remove what dead engines left behind, and prove isolation. Failures are noted, not raised."""
        await self.driver.start()
        with contextlib.suppress(SandboxUnavailable):
            await self.prove()
        pools = [(f"{name} pool", pool.keep_filled) for name, pool in zip(POOLS, self._pools, strict=True)]
        others = (("reaper", self._reap), ("container runtime", self._listen), ("full nodes", self._give_way))
        for name, chore in (*others, *pools):
            self._chores.append(self.supervisor.start(name, chore))

    async def close(self) -> None:
        """End every run and remove every sandbox."""
        self.control.end_all(KillReason.INTERRUPTED, "")
        for chore in self._chores:
            chore.cancel()
        if ending := [*self._chores, *self.control.tasks]:
            await asyncio.wait(ending, timeout=_CLOSE_SECONDS)
        self.pool.clear()
        self.sessions.end_all()
        await self.remover.finish()
        await self.supervisor.close()
        await self.packages.close()
        await self.driver.close()

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(_REAP_SECONDS)
            with contextlib.suppress(SandboxUnavailable):
                await self.driver.reap()
                await self.packages.prune(self.sessions.package_volumes)

    async def _give_way(self) -> None:
        """Whenever a sandbox that is needed finds no place, give up a spare one of each pool."""
        while True:
            await self.driver.wait_full()
            for pool in self._pools:
                pool.give_way()

    async def _listen(self) -> None:
        """Watch the container runtime: while it is lost runs end as engine-lost; when it is back, prove."""
        async with contextlib.aclosing(heartbeat.heartbeats(self.driver.ping)) as beats:
            async for beat in beats:
                if beat.trouble:
                    self.guard.lose(beat.trouble)
                    self.control.lose_all()
                    await self._resume_paused()
                    continue
                for pool in self._pools:
                    pool.replace_superseded()
                if self.proof is None and beat.number % _HEARTBEATS_TO_A_PROOF == 1:
                    with contextlib.suppress(SandboxUnavailable):
                        await self.prove()

    async def _resume_paused(self) -> None:
        """Leave no sandbox paused while the container runtime is lost: it could not start again."""
        for pool in self._pools:
            pool.clear()
        self.sessions.resume_all()
        await self.driver.end_frozen()

    # --- isolation, capabilities, health

    @property
    def proof(self) -> IsolationProof | None:
        """The proof that its sandboxes are isolated; without one nothing runs."""
        return self.guard.proof

    @property
    def trouble(self) -> SandboxUnavailable | None:
        """Why there is no proof."""
        return self.guard.trouble

    async def prove(self) -> IsolationProof:
        """Test isolation in a real sandbox. Raises SandboxUnavailable."""
        return await self.guard.prove()

    async def warm(self, images: Sequence[tuple[Language, str]]) -> None:
        """Keep sandboxes of these images ready from now on."""
        for language, image in images:
            self.pool.stock(language, image)

    @property
    def capabilities(self) -> BackendCapabilities:
        """What its sandboxes can do: without write access to control groups, less."""
        return BackendCapabilities(
            languages=frozenset(map(Language, self.settings.images)),
            packages=frozenset(INSTALLERS) if self.driver.mounts_packages else frozenset(),
            builds=self.driver.mounts_packages,
            network=True,
            secrets=True,
            sessions=True,
            displays=True,
            pause=self.driver.live_resize,
            live_resize=self.driver.live_resize,
        )

    @property
    def pool_status(self) -> tuple[PoolStatus, ...]:
        """How many sandboxes are ready, by image."""
        return tuple(status for pool in self._pools for status in pool.status)

    async def checks(self) -> tuple[Check, ...]:
        """Return the rows of Health about sandboxes."""
        used = (pool for pool in self._pools if self.settings.pool or pool is not self.pool)
        rows = [row for pool in used for row in health.pool_checks(pool)]
        driver = await self.driver.checks(self._known_images())
        tasks = self.supervisor.checks("sandbox tasks")
        return (*driver, health.proof_check(self.proof, self.trouble), *rows, *tasks)

    async def image_digest(self, image: str) -> str:
        """Return the digest of an image name. Raises SandboxUnavailable."""
        return self.driver.known_image_digest(image) or await self.driver.image_digest(image)

    # --- runs

    async def _run_admitted(self, job: Job, watcher: Watcher) -> Result:
        return await self._executor.run(job, watcher)

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job and return its result. Raises SandboxUnavailable."""
        if why := invalid_file_name(job.files):
            return result_not_started(self.driver.runtime, KillReason.POLICY, why)
        return await self.control.accept(job.run, self._executor.run(job, watcher))

    async def stop(self, run: str, by: str) -> None:
        """Ask the program of a run to end; kill it after the grace period."""
        self.control.end(run, KillReason.OPERATOR, by)

    async def kill(self, run: str, by: str, reason: KillReason = KillReason.OPERATOR) -> None:
        """Kill a run at once."""
        self.control.end(run, reason, by, gently=False)

    async def pause(self, run: str) -> bool:
        """Pause a run; return whether it is paused."""
        return self.control.pause(run)

    async def resume(self, run: str) -> bool:
        """Resume a paused run; return whether it is running."""
        return self.control.resume(run)

    def is_running(self, run: str) -> bool:
        """Return whether the code of a run is running, so that its files can be read."""
        return self.control.is_running(run)

    async def look(self, run: str) -> RunSnapshot:
        """Return what a running or paused run is doing. Raises SandboxUnavailable."""
        return await self.control.look(run)

    async def guest_port(self, run: str, port: int, session: str = "") -> GuestPort:
        """Return a port of the loopback of a running run, or of its session. Raises SandboxUnavailable."""
        if session:
            return await self.sessions.guest_port(session, port)
        return await self.control.guest_port(run, port)

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files in the workspace of a running run. Raises SandboxUnavailable."""
        return await self.control.files(run)

    async def file(self, run: str, name: str) -> bytes | None:
        """Return such a file, or None if there is none. Raises SandboxUnavailable."""
        return await self.control.file(run, name)
