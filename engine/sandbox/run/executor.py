"""Runs one job from its arrival to its result: packages, a slot, a sandbox, the code."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.models import OperationKind, Result
from engine.sandbox.api.driver import Sandbox, SandboxDriver, SandboxSpec
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.rehearsal import RehearsalStage
from engine.sandbox.network.sandbox_network import environment_of, networked, proxy_for
from engine.sandbox.packages.builder import PackageService
from engine.sandbox.run.execution import Execution
from engine.sandbox.run.isolation_guard import IsolationGuard
from engine.sandbox.run.ready.pool import Pool
from engine.sandbox.run.removal import SandboxRemover
from engine.sandbox.run.results import acquired
from engine.sandbox.run.run_control import RunControl
from engine.sandbox.run.scheduler import FairScheduler
from engine.sandbox.run.sessions import SessionSandboxes


@dataclass(frozen=True, slots=True)
class JobExecutor:
    """Runs jobs, each in a sandbox of its own or in the sandbox of its session."""

    driver: SandboxDriver
    guard: IsolationGuard
    pool: Pool
    remover: SandboxRemover
    scheduler: FairScheduler
    control: RunControl
    packages: PackageService
    sessions: SessionSandboxes
    keeper: Callable[[], ArtifactKeeper | None]
    grace: float

    async def run(self, job: Job, watcher: Watcher) -> Result:
        """Run a job once a slot is free. Raises SandboxUnavailable."""
        if job.operation is not None and job.operation.kind is OperationKind.INSTALL:
            async with self.sessions.exclusive(job):
                volume, digest = self.sessions.package_volume(job), self.sessions.image_digest(job)
                return await self.packages.install(job, volume, digest, watcher)
        layers, notes = await self.packages.layers_of(job, watcher)
        if queued := self.scheduler.queued(job.principal):
            await watcher.event(queued)
        async with self.sessions.exclusive(job), self.scheduler.slot(job.principal):
            await self.guard.require()
            if job.session:
                return await self.sessions.run(job, watcher, self.guard.check)
            result = await self._run_once(job, layers, watcher)
            return result.with_evidence(*notes)

    async def _run_once(self, job: Job, layers: tuple[tuple[str, str], ...], watcher: Watcher) -> Result:
        proxy = proxy_for(job.network, watcher)
        spec = SandboxSpec(
            job.image_digest, job.language, job.limits, job.stage.environment if job.stage else
            environment_of(proxy), layers, job.volumes, on_demand=True,
        )  # fmt: skip
        sandbox = await self._acquire(spec, watcher)
        try:
            if job.stage:
                return await self._rehearse(sandbox, job, job.stage, watcher)
            async with networked(sandbox, proxy, watcher) as metered:
                execution = Execution(sandbox, job, metered, self.keeper(), self.grace)
                self.control.executions[job.run] = execution
                return await execution.run()
        finally:
            self.control.executions.pop(job.run, None)
            self.pool.ran(sandbox)
            self.remover.remove(sandbox, watcher)

    async def _rehearse(self, sandbox: Sandbox, job: Job, stage: RehearsalStage, watcher: Watcher) -> Result:
        """Run a rehearsal: it has the hosts of its stage, and what it leaves behind is kept nowhere."""
        async with stage.connected(sandbox):
            execution = Execution(sandbox, job, watcher, None, self.grace)
            self.control.executions[job.run] = execution
            result = await execution.run()
            report = execution.output.report
            await stage.finish(report.files if report.complete and not report.omitted else None)
            return result

    async def _acquire(self, spec: SandboxSpec, watcher: Watcher) -> Sandbox:
        began = time.monotonic()
        sandbox = await self.pool.take(spec) or await self.driver.create(spec)
        try:
            await self.guard.check(sandbox)
            await watcher.event(acquired(sandbox, began))
        except BaseException:
            self.remover.remove(sandbox)
            raise
        return sandbox
