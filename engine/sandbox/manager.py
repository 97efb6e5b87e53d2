"""The one way into the sandbox room: proof, pool, runs, and the end of all of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial

from docker.errors import APIError

from engine.models import Act, Check, KillReason, Language, Proof, Result, WorkspaceFile
from engine.sandbox import health, owner, peek, reaper
from engine.sandbox.backend import Abilities
from engine.sandbox.box import Box
from engine.sandbox.daemon import Daemon, DaemonLost, unavailable
from engine.sandbox.envelope import unstarted
from engine.sandbox.execution import Execution
from engine.sandbox.image_rows import ImageRows
from engine.sandbox.job import ArtifactKeeper, Job, SandboxUnavailable, Watcher
from engine.sandbox.maker import Maker
from engine.sandbox.network.connection import extras_of, networked, proxy_for
from engine.sandbox.packages.builder import INSTALLERS, Packages
from engine.sandbox.pool import Pool, Stock
from engine.sandbox.proof import ask_inside
from engine.sandbox.recipe import Extras
from engine.sandbox.sessions import Sessions
from engine.sandbox.tickets import Ticket, badly_named, spawn
from engine.sandbox.turns import Turns
from engine.settings import SandboxSettings

_REAP_SECONDS = 60.0
_BEAT_SECONDS = 5.0
_BEAT_DEADLINE_SECONDS = 10.0
_BEATS_TO_A_PROOF = 12
"""How often a proof that failed is tried again."""
_CLOSE_SECONDS = 20.0
_GONE_SECONDS = 0.05


class SandboxManager:
    """Runs jobs in gVisor sandboxes, each used once. Without a proof of isolation it runs nothing."""

    def __init__(
        self, settings: SandboxSettings, engine_id: str, keeper: ArtifactKeeper | None = None
    ) -> None:
        self.settings = settings
        self.proof: Proof | None = None
        self.trouble: SandboxUnavailable | None = None
        self.keeper = keeper
        """Who keeps the files that runs leave."""
        self._daemon = Daemon(settings.call_deadline_seconds)
        self._maker = Maker(self._daemon, settings.runtime, owner.here(engine_id))
        self._pool = Pool(
            self._maker, settings.pool, self._remove_later, settings.pool_most, settings.pool_memory_mb
        )
        self._proving = asyncio.Lock()
        self._turns = Turns(settings.concurrent)
        self._running: dict[str, Execution] = {}
        self.packages = Packages(settings, self._daemon, engine_id, self._run_in_turn)
        self.sessions = Sessions(
            self._maker,
            self._remove_later,
            lambda: self.keeper,
            settings.grace_seconds,
            self._running,
            self.packages.rooms_of,
        )
        self._tickets: dict[str, Ticket] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._removals: set[asyncio.Task[None]] = set()
        self._removed: set[str] = set()
        self._image_rows = ImageRows(self._daemon)
        self._images = [f"pratique/{name}" for name in dict.fromkeys(settings.images.values())]

    # --- its own life

    async def start(self) -> None:
        """Connect, remove what dead engines left, and prove isolation. That Docker is missing is noted."""
        with contextlib.suppress(DaemonLost, APIError):
            await reaper.reap(self._daemon, self._maker.owner)
        with contextlib.suppress(SandboxUnavailable):
            await self.prove()
        for chore in (
            self._maker.vigil.keep(),
            self._reap_for_ever(),
            self._listen(),
            self._pool.keep_filled(),
        ):
            spawn(chore, self._chores)

    async def close(self) -> None:
        """End every run and remove every sandbox."""
        for run in list(self._tickets):
            self._end(run, KillReason.INTERRUPTED, "the engine's end", gently=False)
        for chore in self._chores:
            chore.cancel()
        ending = [*self._chores, *(ticket.task for ticket in self._tickets.values())]
        if ending:
            await asyncio.wait(ending, timeout=_CLOSE_SECONDS)
        self._pool.empty()
        self.sessions.end_all()
        if self._removals:
            await asyncio.wait(self._removals, timeout=_CLOSE_SECONDS)
        await self._remove_own()
        await self.packages.close()
        await self._daemon.close()

    async def prove(self) -> Proof:
        """Ask inside a real sandbox which kernel it sees. Raises SandboxUnavailable."""
        images = [*self._images, *(shelf.image for shelf in self._pool.shelves)]
        try:
            async with self._proving:
                self.proof = await ask_inside(self._maker, await self._daemon.first_known(images))
        except SandboxUnavailable as error:
            self.proof, self.trouble = None, error
            raise
        self.trouble = None if self.proof.isolated else health.not_isolated(self.proof)
        self._pool.open(self.proof.isolated)
        return self.proof

    async def warm(self, images: Sequence[tuple[Language, str]]) -> None:
        """Start to keep sandboxes of these images ready."""
        for language, image in images:
            self._pool.stock(language, image)

    @property
    def abilities(self) -> Abilities:
        """Return what its sandboxes can do: without write access to control groups, less."""
        fits = self._maker.can_fit
        return Abilities(
            languages=frozenset(map(Language, self.settings.images)),
            packages=frozenset(INSTALLERS),
            builds=True,
            network=True,
            secrets=True,
            sessions=True,
            displays=True,
            freeze=fits,
            fitting=fits,
        )

    @property
    def stocks(self) -> tuple[Stock, ...]:
        """Return how many sandboxes wait ready for each image."""
        return self._pool.stocks

    async def checks(self) -> tuple[Check, ...]:
        """Return the rows of Health that this room answers for."""
        docker = await health.docker_check(self._daemon, self.settings.runtime)
        rows = health.pool_checks(self._pool) if self.settings.pool else ()
        images = dict.fromkeys([*self._images, *(shelf.image for shelf in self._pool.shelves)])
        found = await self._image_rows.checks(images) if docker[0].ok else ()
        return (*docker, health.proof_check(self.proof, self.trouble), *found, *rows)

    async def image_digest(self, image: str) -> str:
        """Return Docker's digest of an image. Raises SandboxUnavailable."""
        try:
            return str((await self._daemon.ask("inspect_image", image))["Id"])
        except (APIError, DaemonLost) as error:
            raise unavailable(error, image) from error

    # --- runs

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job in a sandbox of its own and return the envelope. Raises SandboxUnavailable."""
        if why := badly_named(job.files):
            return unstarted(self.settings.runtime, KillReason.POLICY, why)
        ticket = Ticket(asyncio.create_task(self._run_in_turn(job, watcher)))
        self._tickets[job.run] = ticket
        try:
            await asyncio.wait({ticket.task})
        finally:
            ticket.task.cancel()
            await asyncio.wait({ticket.task})
            del self._tickets[job.run]
        if ticket.task.cancelled():
            why = f"withdrawn before it started, by {ticket.by}"
            return unstarted(self.settings.runtime, ticket.reason, why)
        return ticket.task.result()

    async def _run_in_turn(self, job: Job, watcher: Watcher) -> Result:
        if job.operation is not None and job.operation.act is Act.INSTALL:
            async with self.sessions.turn(job):
                return await self.packages.install(job, watcher)
        layers = await self.packages.layers_of(job, watcher)
        if place := self._turns.told(job.principal):
            await watcher.happened("run.queued", place)
        async with self.sessions.turn(job), self._turns.turn(job.principal):
            await self._require_proof()
            if job.session:
                return await self.sessions.run(job, watcher, self._check_kernel)
            proxy = proxy_for(job.network, watcher)
            box = await self._obtain(job, watcher, extras_of(proxy, layers, job.makes))
            try:
                async with networked(box, proxy, watcher) as watching:
                    return await self._run_in(box, job, watching)
            finally:
                self._running.pop(job.run, None)
                self._remove_later(box, watcher)

    async def _require_proof(self) -> None:
        if self.proof is None:
            await self.prove()
        if self.proof is None or not self.proof.isolated:
            raise self.trouble or SandboxUnavailable("isolation is not proved", "pratique doctor")

    async def _obtain(self, job: Job, watcher: Watcher, extras: Extras) -> Box:
        box = None if extras else await self._pool.take(job)
        kind = "sandbox.taken" if box else "sandbox.created"
        box = box or await self._maker.make(job.image, job.language, job.limits, extras)
        try:
            await self._check_kernel(box)
            facts = {"sandbox": box.id, "image": box.image_id, "kernel": box.kernel}
            await watcher.happened(kind, facts | {"runtime": self.settings.runtime})
        except BaseException:
            self._remove_later(box)
            raise
        return box

    async def _check_kernel(self, box: Box) -> None:
        """Check that the sandbox sees the kernel that was proved. Docker may have been lost meanwhile."""
        await self._require_proof()
        if self.proof is None or box.kernel != self.proof.kernel.text:
            self.proof = None
            raise SandboxUnavailable("the sandbox sees another kernel than the one proved", "pratique doctor")

    async def _run_in(self, box: Box, job: Job, watcher: Watcher) -> Result:
        execution = Execution(box, job, watcher, self.keeper, self.settings.grace_seconds)
        self._running[job.run] = execution
        facts = {"sandbox": box.id, "limits": job.limits.model_dump()}
        return await execution.finish(partial(watcher.happened, "run.started", facts))

    async def stop(self, run: str, by: str) -> None:
        """Ask a run's program to end, and end it after the grace."""
        self._end(run, KillReason.OPERATOR, by)

    async def kill(self, run: str, by: str) -> None:
        """End a run at once."""
        self._end(run, KillReason.OPERATOR, by, gently=False)

    def _end(self, run: str, reason: KillReason, by: str, *, gently: bool = True) -> None:
        """End a run; one that has no sandbox yet is withdrawn."""
        if run in self._running:
            self._running[run].end(reason, by, gently=gently)
        elif run in self._tickets:
            self._tickets[run].withdraw(reason, by)

    async def freeze(self, run: str) -> bool:
        """Stop a run where it stands; say whether it stands."""
        return run in self._running and self._running[run].freeze()

    async def thaw(self, run: str) -> bool:
        """Let a frozen run go on; say whether it goes."""
        return run in self._running and self._running[run].thaw()

    async def files(self, run: str) -> tuple[WorkspaceFile, ...]:
        """Return the files of a run that goes on. Raises SandboxUnavailable."""
        return await peek.files(self._seen(run))

    async def file(self, run: str, name: str) -> bytes | None:
        """Return a file of a run that goes on, or None where it has none. Raises SandboxUnavailable."""
        return await peek.content(self._seen(run), name)

    def _seen(self, run: str) -> Box:
        execution = self._running.get(run)
        if execution is None or not self.goes(run):
            raise SandboxUnavailable("it does not run")
        if execution.watch.stopped:
            raise SandboxUnavailable("it stands frozen", "Thaw it first.")
        return execution.box

    def goes(self, run: str) -> bool:
        """Say whether a run's code is at work."""
        execution = self._running.get(run)
        return execution is not None and execution.began > 0 and not execution.over

    # --- chores

    def _remove_later(self, box: Box, watcher: Watcher | None = None) -> None:
        spawn(self._destroy(box, watcher), self._removals)

    async def _destroy(self, box: Box, watcher: Watcher | None = None) -> None:
        gone = await self._maker.end(box)
        self._removed.add(box.id)
        if watcher is not None:
            await watcher.happened("sandbox.destroyed", {"sandbox": box.id, "gone": gone})

    async def _remove_own(self) -> None:
        """Remove what is left of this engine's own, and wait until it is gone: nothing outlives it."""
        with contextlib.suppress(DaemonLost, APIError, TimeoutError):
            async with asyncio.timeout(_CLOSE_SECONDS):
                while left := await reaper.owned(self._daemon, self._maker.owner.engine):
                    for container in left:
                        await reaper.remove_thawed(self._daemon, container)
                    await asyncio.sleep(_GONE_SECONDS)

    async def _reap_for_ever(self) -> None:
        while True:
            await asyncio.sleep(_REAP_SECONDS)
            with contextlib.suppress(DaemonLost, APIError):
                await reaper.reap(self._daemon, self._maker.owner, self._maker.living)
                await reaper.end_leftovers(self._daemon, self._removed)
                await self.packages.prune(self.sessions)
                self._removed.clear()

    async def _listen(self) -> None:
        """Listen for Docker's life: runs that it loses end as engine-lost; when it is back, prove."""
        beats = 0
        while True:
            await asyncio.sleep(_BEAT_SECONDS)
            beats = beats + 1 if await self._docker_answers() else 0
            if self.proof is None and beats % _BEATS_TO_A_PROOF == 1:
                with contextlib.suppress(SandboxUnavailable):
                    await self.prove()

    async def _docker_answers(self) -> bool:
        """Ask twice: a busy Docker may miss one beat."""
        try:
            with contextlib.suppress(DaemonLost):
                await self._daemon.ask("ping", deadline=_BEAT_DEADLINE_SECONDS)
                return True
            await self._daemon.ask("ping", deadline=_BEAT_DEADLINE_SECONDS)
        except (DaemonLost, APIError) as error:
            self._lose_docker(unavailable(error))
            return False
        return True

    def _lose_docker(self, trouble: SandboxUnavailable) -> None:
        self.proof, self.trouble = None, trouble
        self._pool.open(False)
        for run in list(self._running.values()):
            run.lose()
