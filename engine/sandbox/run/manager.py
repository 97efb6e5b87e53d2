"""The one way into the sandbox room: proof, pool, runs, and the end of all of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial

from docker.errors import APIError

from engine.models import Check, IsolationProof, KillReason, Language, OperationKind, Result
from engine.sandbox.api.backend import BackendCapabilities
from engine.sandbox.api.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.drivers.docker import heartbeat, ownership, reaper
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_factory import ContainerFactory
from engine.sandbox.drivers.docker.container_spec import Extras
from engine.sandbox.drivers.docker.docker_client import DockerClient, DockerUnreachable
from engine.sandbox.drivers.docker.image_checks import ImageChecks
from engine.sandbox.drivers.docker.pool import Pool, PoolStatus
from engine.sandbox.drivers.docker.removal import ContainerRemover
from engine.sandbox.isolation import health
from engine.sandbox.isolation.probe import probe
from engine.sandbox.network.sandbox_network import extras_of, networked, proxy_for
from engine.sandbox.packages.builder import INSTALLERS, PackageService
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.results import result_not_started
from engine.sandbox.run.run_control import RunControl
from engine.sandbox.run.run_handle import invalid_file_name, spawn
from engine.sandbox.run.scheduler import FairScheduler
from engine.sandbox.run.sessions import SessionSandboxes
from engine.settings import SandboxSettings

_REAP_SECONDS = 60.0
_BEATS_TO_A_PROOF = 12
"""How often a proof that failed is tried again."""
_CLOSE_SECONDS = 20.0


class SandboxManager(RunControl):
    """Runs jobs in gVisor sandboxes, each used once. Without a proof of isolation it runs nothing."""

    def __init__(
        self, settings: SandboxSettings, engine_id: str, keeper: ArtifactKeeper | None = None
    ) -> None:
        super().__init__()
        self.settings = settings
        self.proof: IsolationProof | None = None
        self.trouble: SandboxUnavailable | None = None
        self.keeper = keeper
        """Who keeps the files that runs leave."""
        self._daemon = DockerClient(settings.call_deadline_seconds)
        self._maker = ContainerFactory(self._daemon, settings.runtime, ownership.here(engine_id))
        self.removals = ContainerRemover(self._daemon, self._maker)
        self._pool = Pool(
            self._maker, settings.pool, self.removals.later, settings.pool_most, settings.pool_memory_mb
        )
        self._proving = asyncio.Lock()
        self._turns = FairScheduler(settings.concurrent)
        self.packages = PackageService(settings, self._daemon, engine_id, self._run_in_turn)
        self.sessions = SessionSandboxes(
            self._maker,
            self.removals.later,
            lambda: self.keeper,
            settings.grace_seconds,
            self._running,
            self.packages.rooms_of,
            settings.session_pool,
        )
        if settings.session_pool:
            self.sessions.spares.stock(
                Language.PYTHON, f"pratique/{settings.session_images[Language.PYTHON]}"
            )
        self._chores: set[asyncio.Task[None]] = set()
        self._image_rows = ImageChecks(self._daemon)
        self._images = [f"pratique/{name}" for name in dict.fromkeys(settings.images.values())]

    @property
    def _pools(self) -> tuple[Pool, Pool]:
        return self._pool, self.sessions.spares

    # --- its own life

    async def start(self) -> None:
        """Connect, remove what dead engines left, and prove isolation. That Docker is missing is noted."""
        with contextlib.suppress(DockerUnreachable, APIError):
            await reaper.reap(self._daemon, self._maker.owner)
        with contextlib.suppress(SandboxUnavailable):
            await self.prove()
        for chore in (
            self._maker.events.keep(),
            self._reap_for_ever(),
            self._listen(),
            *(pool.keep_filled() for pool in self._pools),
        ):
            spawn(chore, self._chores)

    async def close(self) -> None:
        """End every run and remove every sandbox."""
        self.end_all(KillReason.INTERRUPTED, "the engine's end")
        for chore in self._chores:
            chore.cancel()
        ending = [*self._chores, *(ticket.task for ticket in self._tickets.values())]
        if ending:
            await asyncio.wait(ending, timeout=_CLOSE_SECONDS)
        self._pool.empty()
        self.sessions.end_all()
        await self.removals.finish()
        await self.packages.close()
        await self._daemon.close()

    async def prove(self) -> IsolationProof:
        """Ask inside a real sandbox which kernel it sees. Raises SandboxUnavailable."""
        images = [*self._images, *(image_pool.image for image_pool in self._pool.image_pools)]
        try:
            async with self._proving:
                self.proof = await probe(self._maker, await self._daemon.first_available(images))
        except SandboxUnavailable as error:
            self.proof, self.trouble = None, error
            raise
        self.trouble = None if self.proof.isolated else health.not_isolated(self.proof)
        for pool in self._pools:
            pool.open(self.proof.isolated)
        return self.proof

    async def warm(self, images: Sequence[tuple[Language, str]]) -> None:
        """Start to keep sandboxes of these images ready."""
        for language, image in images:
            self._pool.stock(language, image)

    @property
    def capabilities(self) -> BackendCapabilities:
        """Return what its sandboxes can do: without write access to control groups, less."""
        fits = self._maker.can_resize
        return BackendCapabilities(
            languages=frozenset(map(Language, self.settings.images)),
            packages=frozenset(INSTALLERS),
            builds=True,
            network=True,
            secrets=True,
            sessions=True,
            displays=True,
            pause=fits,
            live_resize=fits,
        )

    @property
    def stocks(self) -> tuple[PoolStatus, ...]:
        """Return how many sandboxes wait ready for each image."""
        return tuple(stock for pool in self._pools for stock in pool.stocks)

    async def checks(self) -> tuple[Check, ...]:
        """Return the rows of Health that this room answers for."""
        docker = await health.docker_check(self._daemon, self.settings.runtime)
        filled = (pool for pool in self._pools if self.settings.pool or pool is not self._pool)
        rows = [row for pool in filled for row in health.pool_checks(pool)]
        images = dict.fromkeys([*self._images, *(image_pool.image for image_pool in self._pool.image_pools)])
        found = await self._image_rows.checks(images) if docker[0].ok else ()
        return (*docker, health.proof_check(self.proof, self.trouble), *found, *rows)

    async def image_digest(self, image: str) -> str:
        """Return Docker's digest of an image. Raises SandboxUnavailable."""
        return await self._daemon.image_digest_of(image)

    # --- runs

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job in a sandbox of its own and return the envelope. Raises SandboxUnavailable."""
        if why := invalid_file_name(job.files):
            return result_not_started(self.settings.runtime, KillReason.POLICY, why)
        return await self._let_in(job.run, self._run_in_turn(job, watcher), self.settings.runtime)

    async def _run_in_turn(self, job: Job, watcher: Watcher) -> Result:
        if job.operation is not None and job.operation.kind is OperationKind.INSTALL:
            async with self.sessions.turn(job):
                return await self.packages.install(self.sessions.housed(job), watcher)
        layers = await self.packages.layers_of(job, watcher)
        if place := self._turns.told(job.principal):
            await watcher.happened("run.queued", place)
        async with self.sessions.turn(job), self._turns.turn(job.principal):
            await self._require_proof()
            if job.session:
                return await self.sessions.run(job, watcher, self._check_kernel)
            proxy = proxy_for(job.network, watcher)
            container = await self._obtain(job, watcher, extras_of(proxy, layers, job.makes))
            try:
                async with networked(container, proxy, watcher) as watching:
                    return await self._run_in(container, job, watching)
            finally:
                self._running.pop(job.run, None)
                self.removals.later(container, watcher)

    async def _require_proof(self) -> None:
        if self.proof is None:
            await self.prove()
        if self.proof is None or not self.proof.isolated:
            raise self.trouble or SandboxUnavailable("isolation is not proved", "pratique doctor")

    async def _obtain(self, job: Job, watcher: Watcher, extras: Extras) -> Container:
        container = None if extras else await self._pool.take(job)
        kind = "sandbox.acquired" if container else "sandbox.created"
        container = container or await self._maker.create_for(job, extras)
        try:
            await self._check_kernel(container)
            facts = {"sandbox": container.id, "image": container.image_id, "kernel": container.kernel}
            await watcher.happened(kind, facts | {"runtime": self.settings.runtime})
        except BaseException:
            self.removals.later(container)
            raise
        return container

    async def _check_kernel(self, container: Container) -> None:
        """Check that the sandbox sees the kernel that was proved. Docker may have been lost meanwhile."""
        await self._require_proof()
        if self.proof is None or container.kernel != self.proof.kernel.text:
            self.proof = None
            raise SandboxUnavailable("the sandbox sees another kernel than the one proved", "pratique doctor")

    async def _run_in(self, container: Container, job: Job, watcher: Watcher) -> Result:
        execution = Execution(container, job, watcher, self.keeper, self.settings.grace_seconds)
        self._running[job.run] = execution
        facts = {"sandbox": container.id, "limits": job.limits.model_dump()}
        return await execution.finish(partial(watcher.happened, "run.started", facts))

    # --- chores

    async def _reap_for_ever(self) -> None:
        while True:
            await asyncio.sleep(_REAP_SECONDS)
            with contextlib.suppress(DockerUnreachable, APIError):
                await self.removals.reap()
                await self.packages.prune(self.sessions.rooms)

    async def _listen(self) -> None:
        """Listen for Docker's life: runs that it loses end as engine-lost; when it is back, prove."""
        async with contextlib.aclosing(heartbeat.heartbeats(self._daemon)) as heartbeats:
            async for beat in heartbeats:
                if beat.trouble:
                    self._lose_docker(beat.trouble)
                elif self.proof is None and beat.number % _BEATS_TO_A_PROOF == 1:
                    with contextlib.suppress(SandboxUnavailable):
                        await self.prove()

    def _lose_docker(self, trouble: SandboxUnavailable) -> None:
        self.proof, self.trouble = None, trouble
        for pool in self._pools:
            pool.open(False)
        for run in list(self._running.values()):
            run.lose()
