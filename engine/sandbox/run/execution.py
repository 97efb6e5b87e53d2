"""One run in one sandbox: put the code in, follow it, end it when it must end, and say why."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from engine.models import Artifact, KillReason, Result
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.drivers.docker.container import Container
from engine.sandbox.drivers.docker.container_spec import task_limit
from engine.sandbox.drivers.docker.docker_client import DockerUnreachable
from engine.sandbox.drivers.linux.kernel_log import memory_ran_out
from engine.sandbox.guest_protocol.framing import RunRequest, frames
from engine.sandbox.run import kill_reason
from engine.sandbox.run.artifacts import kept
from engine.sandbox.run.metrics_sampler import MetricsSampler
from engine.sandbox.run.output import ARTIFACT_BYTES, OutputFollower
from engine.sandbox.run.results import build_result
from engine.sandbox.run.stopwatch import Stopwatch

_FILES_SECONDS = 10.0
_DRAIN_SECONDS = 1.0
_GUARD_SECONDS = 15
"""How much later than the engine the guest ends a run by itself: Docker may have died."""


Permit = Callable[[], Coroutine[Any, Any, None]]
"""What must be done before the code may begin: that it does is on disk then."""


@dataclass
class Execution:
    """The state of one run while it lasts."""

    container: Container
    job: Job
    watcher: Watcher
    keeper: ArtifactKeeper | None
    grace: float
    began: float = 0.0
    stop_signal: str = "TERM"
    """The signal that asks the program to end."""
    output: OutputFollower = field(init=False)
    sampler: MetricsSampler = field(init=False)
    watch: Stopwatch = field(default_factory=Stopwatch)
    _asked: KillReason | None = None
    _asked_by: str = ""
    _severed: bool = False
    _daemon_lost: bool = False
    _pump: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.sampler = MetricsSampler(self.container, self.watcher)

    # --- from the code going in to the envelope

    async def finish(self, permit: Permit) -> Result:
        """Run to the end, whatever the end is, and return the envelope.

        The code begins once `permit` is done.
        """
        nonce = secrets.token_hex(16)
        order = self._order(nonce).encode()
        self.output = OutputFollower(
            self.watcher,
            self.job.limits.output_kb * 1024,
            nonce,
            self._ended,
            self._flooded,
            shown=self._show,
            deaf=self.job.operation is not None,
        )
        self._begin()
        if self._asked is not None:
            self._cut()
        permitted = asyncio.create_task(permit())
        try:
            await self._go_through(order, permitted)
            await permitted
        finally:
            permitted.cancel()
            await asyncio.wait({permitted})
        return await self._envelope()

    def _begin(self) -> None:
        self.began = self.output.began = self.watch.began = time.monotonic()

    async def _go_through(self, order: bytes, permitted: asyncio.Task[None]) -> None:
        async with asyncio.TaskGroup() as group:
            self._pump = group.create_task(self._follow())
            beside = (self._send(order, permitted), self.sampler.go_on(self.output), self._deadline())
            others = [group.create_task(job) for job in beside]
            await asyncio.wait({self._pump})
            for task in others:
                task.cancel()
            if self._ending is not None:
                self._ending.cancel()

    async def _follow(self) -> None:
        async with contextlib.aclosing(frames(self.container.reader)) as guest:
            await self.output.follow(guest)

    def _order(self, nonce: str) -> RunRequest:
        limits = self.job.limits
        return RunRequest(
            code=self.job.code,
            files=self.job.files,
            limits=limits,
            task_limit=task_limit(self.job.language, limits),
            artifact_bytes=ARTIFACT_BYTES,
            guard_seconds=int(limits.seconds + self.grace) + _GUARD_SECONDS,
            nonce=nonce,
        )

    async def _send(self, order: bytes, permitted: asyncio.Task[None]) -> None:
        """Hand the order in but for its last byte: without it nothing begins. It follows once it may."""
        with contextlib.suppress(ConnectionError):
            await self.container.send(order[:-1])
        await asyncio.wait({permitted})
        if permitted.cancelled() or permitted.exception():
            self._cut()
            return
        self._begin()
        with contextlib.suppress(ConnectionError):
            await self.container.send(order[-1:])

    # --- its deadline, and its output's

    def _ended(self) -> None:
        """Take the last readings while the sandbox still stands."""
        self.sampler.take()

    async def _show(self, item: bytes) -> None:
        """Take something that is shown while it goes on: only a notebook has anything to show."""

    def _flooded(self) -> None:
        self.end(KillReason.OUTPUT, "", gently=False)

    async def _deadline(self) -> None:
        while (left := self.job.limits.seconds - self.watch.seconds()) > 0:
            await asyncio.sleep(max(left, 0.1) if self.watch.stopped else left)
        if not self.over:
            self.end(KillReason.TIMEOUT, "")
        await asyncio.sleep(self.grace + _FILES_SECONDS)
        self._cut()

    @property
    def over(self) -> bool:
        """Whether the program has ended."""
        return self.began > 0 and self.output.ended is not None

    # --- ending it

    def end(self, reason: KillReason, by: str, *, gently: bool = True) -> None:
        """End the run: TERM and, after the grace, KILL; or at once. The first reason stays."""
        if self._asked is None and not self.over:
            self._asked, self._asked_by = reason, by
        self.resume()
        if not gently:
            self._cut()
        elif self._ending is None:
            self._ending = asyncio.create_task(self._terminate())

    async def _terminate(self) -> None:
        async with asyncio.TaskGroup() as group:
            term = group.create_task(self.container.signal(self.stop_signal))
            await asyncio.sleep(self.grace)
            term.cancel()
        if not self.over:
            self._cut()

    def lose(self) -> None:
        """Note that Docker is gone, and end the run with what was captured."""
        self._daemon_lost = True
        self._cut()
        self.container.kill_processes()

    def _cut(self) -> None:
        """Cut the streams; a follower that does not see the end in time is stopped."""
        if self._severed:
            return
        self._severed = True
        self.sampler.take()
        self.container.disconnect()
        if self._pump is not None:
            asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._pump.cancel)

    def pause(self) -> bool:
        """Stop the guest where it stands; its deadline waits meanwhile."""
        if not self.watch.stopped and self.container.pause(True):
            self.watch.stop()
        return self.watch.stopped

    def resume(self) -> bool:
        """Let the guest go on."""
        if self.watch.stopped and self.container.pause(False):
            self.watch.go_on()
        return not self.watch.stopped

    # --- the envelope

    async def _envelope(self) -> Result:
        facts = await self._facts()
        files, notes = await self._left()
        reason = kill_reason.classify(facts)
        said = (*kill_reason.describe(facts), *self.output.notes, *notes)
        if reason is not KillReason.NONE:
            await self.watcher.happened("run.killed", {"reason": str(reason), "evidence": list(said)})
        describe = build_result(self.container, self.output, self.sampler.last, facts.exit_code, reason, said)
        return describe.model_copy(update={"artifacts": files})

    async def _left(self) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
        """Keep the files that it leaves, and return what they are."""
        return await kept(self.job, self.output.word, self.keeper)

    async def _facts(self) -> kill_reason.RunEvidence:
        word, usage, limits = self.output.word, self.sampler.last, self.job.limits
        died = not word.received and not self._severed
        state = await self._how_it_died() if died else {}
        exit_code = 128 + word.signal if word.signal else word.exit_code
        return kill_reason.RunEvidence(
            requested=self._asked,
            requested_by=self._asked_by,
            reported=word.received,
            exit_code=exit_code if word.received else state.get("ExitCode"),
            signal=word.signal,
            guest_deadline=word.deadline_passed,
            oom_kills=usage.oom_kills if usage else 0,
            docker_oom=bool(state.get("OOMKilled")),
            kernel_oom=died and await asyncio.to_thread(memory_ran_out, self.container.id),
            memory_at_limit=bool(usage and usage.memory_peak >= 0.97 * limits.memory_mb * 2**20),
            pids_limit_hit=bool(usage and usage.pids_limit_hits),
            task_limit_hit=word.task_limit_hit,
            disk_full=word.disk_full,
            daemon_lost=self._daemon_lost,
        )

    async def _how_it_died(self) -> dict[str, Any]:
        try:
            return await self.container.end_state()
        except DockerUnreachable:
            self._daemon_lost = True
            return {}
