"""One run in one sandbox: send the code, follow it, end it when it must end, and say why."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
import time
from dataclasses import dataclass, field

from engine.models import Artifact, KillReason, Result
from engine.sandbox.api.driver import EndState, Sandbox
from engine.sandbox.api.job import ArtifactKeeper, Job, Watcher
from engine.sandbox.api.permit import StartPermit, StartRequest
from engine.sandbox.api.run_events import RunKilled
from engine.sandbox.guest_protocol.framing import RunRequest
from engine.sandbox.guest_protocol.programs import task_limit
from engine.sandbox.run import kill_reason
from engine.sandbox.run.artifacts import keep_artifacts
from engine.sandbox.run.effect_recorder import EffectRecorder
from engine.sandbox.run.line_recorder import LineRecorder
from engine.sandbox.run.metrics_sampler import MetricsSampler
from engine.sandbox.run.output import ARTIFACT_BYTES, OutputFollower
from engine.sandbox.run.results import build_result
from engine.sandbox.run.sealed_request import SealedRequest
from engine.sandbox.run.stopwatch import Stopwatch

_FILES_SECONDS = 10.0
_DRAIN_SECONDS = 1.0
_GUARD_SECONDS = 15
"""How much later than the engine the guest ends a run by itself: the container runtime may have died."""


@dataclass
class Execution:
    """The state of one run while it lasts."""

    sandbox: Sandbox
    job: Job
    watcher: Watcher
    keeper: ArtifactKeeper | None
    grace: float
    began: float = 0.0
    stop_signal: str = "TERM"
    """The signal that asks the program to end."""
    output: OutputFollower = field(init=False)
    sampler: MetricsSampler = field(init=False)
    observer: EffectRecorder = field(init=False)
    lines: LineRecorder = field(init=False)
    watch: Stopwatch = field(default_factory=Stopwatch)
    ends: bool = True
    """Whether its sandbox ends every process with the run, as sessions do not."""
    _requested: KillReason | None = None
    _requested_by: str = ""
    _disconnected: bool = False
    _runtime_lost: bool = False
    _following: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.sampler = MetricsSampler(self.sandbox, self.watcher)
        self.observer = EffectRecorder(self.sandbox, self.watcher)
        self.lines = LineRecorder(self.job, self.watcher)

    # --- from the request to the result

    async def run(self) -> Result:
        """Run to the end, whatever the end is, and return the result.

        The code starts once the watcher permits it. Raises what the watcher raises to refuse.
        """
        nonce = secrets.token_hex(16)
        start = StartRequest(
            self.job.run, self.sandbox.id, self.sandbox.image_digest, self.observer.unobserved
        )
        request = SealedRequest(self._request(nonce).encode(), start)
        self.output = self._follower(nonce)
        self._begin()
        if self._requested is not None:
            self._disconnect()
        permit = asyncio.create_task(self._permit(start))
        try:
            await self._go_through(request, permit)
            await permit
        finally:
            permit.cancel()
            await asyncio.wait({permit})
        return await self._result()

    async def _permit(self, start: StartRequest) -> StartPermit:
        """Return the permit once its effects are observed, as far as they can be."""
        observing = self.observer.begin(helpers=_has_helpers(self.job))
        permit, _ = await asyncio.gather(self.watcher.permit(start), observing)
        return permit

    def _follower(self, nonce: str) -> OutputFollower:
        return OutputFollower(
            self.watcher,
            self.job.limits.output_kb * 1024,
            nonce,
            self._ended,
            self._flooded,
            displayed=self._display,
            discard=self.job.operation is not None,
        )

    def _begin(self) -> None:
        self.began = self.output.began = self.watch.began = time.monotonic()

    async def _go_through(self, request: SealedRequest, permit: asyncio.Task[StartPermit]) -> None:
        async with asyncio.TaskGroup() as group:
            self._following = group.create_task(self._follow())
            beside = (
                self._send(request, permit),
                self.sampler.run(self.output),
                self._deadline(),
                self.observer.run(),
            )
            others = [group.create_task(job) for job in beside]
            await asyncio.wait({self._following})
            for task in others:
                task.cancel()
            if self._ending is not None:
                self._ending.cancel()

    async def _follow(self) -> None:
        async with contextlib.aclosing(self.sandbox.output()) as guest:
            await self.output.follow(guest)

    def _request(self, nonce: str) -> RunRequest:
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

    async def _send(self, request: SealedRequest, permit: asyncio.Task[StartPermit]) -> None:
        """Send the request but for its last byte, without which nothing starts; that needs the permit."""
        with contextlib.suppress(ConnectionError):
            await self.sandbox.send(request.body)
        await asyncio.wait({permit})
        if permit.cancelled() or permit.exception():
            self._disconnect()
            return
        last = request.release(permit.result())
        self._begin()
        self.observer.start()
        self.lines.start()
        with contextlib.suppress(ConnectionError):
            await self.sandbox.send(last)

    # --- callbacks of its output, and its deadline

    def _ended(self) -> None:
        """Take the last sample while the sandbox still exists."""
        self.sampler.take()

    async def _display(self, item: bytes) -> None:
        """Take what the supervisor says while the run goes on: which lines ran."""
        await self.lines.take(item)

    def _flooded(self) -> None:
        self.end(KillReason.OUTPUT, "", gently=False)

    async def _deadline(self) -> None:
        while (left := self.job.limits.seconds - self.watch.seconds()) > 0:
            await asyncio.sleep(max(left, 0.1) if self.watch.stopped else left)
        if not self.over:
            self.end(KillReason.TIMEOUT, "")
        await asyncio.sleep(self.grace + _FILES_SECONDS)
        self._disconnect()

    @property
    def over(self) -> bool:
        """Whether the program has ended."""
        return self.began > 0 and self.output.ended is not None

    # --- ending it

    def end(self, reason: KillReason, by: str, *, gently: bool = True) -> None:
        """End the run: TERM and, after the grace period, KILL; or at once. The first reason stays."""
        if self._requested is None and not self.over:
            self._requested, self._requested_by = reason, by
        self.resume()
        if not gently:
            self._disconnect()
        elif self._ending is None:
            self._ending = asyncio.create_task(self._terminate())

    async def _terminate(self) -> None:
        async with asyncio.TaskGroup() as group:
            term = group.create_task(self.sandbox.signal(self.stop_signal))
            await asyncio.sleep(self.grace)
            term.cancel()
        if not self.over:
            self._disconnect()

    def lose(self) -> None:
        """End the run with what was captured: the container runtime is gone."""
        self._runtime_lost = True
        self._disconnect()
        self.sandbox.kill_processes()

    def _disconnect(self) -> None:
        """Cut the streams; a follower that does not see the end in time is cancelled."""
        if self._disconnected:
            return
        self._disconnected = True
        self.sampler.take()
        self.sandbox.disconnect()
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._cut_off)

    def _cut_off(self) -> None:
        """End a guest that the cut of its streams did not reach, past a container runtime that hangs."""
        if self._following is not None:
            self._following.cancel()
        self.sandbox.kill_processes()

    def pause(self) -> bool:
        """Pause the guest; its deadline is suspended meanwhile."""
        if not self.watch.stopped and self.sandbox.pause(True):
            self.watch.stop()
        return self.watch.stopped

    def resume(self) -> bool:
        """Resume the guest."""
        if self.watch.stopped and self.sandbox.pause(False):
            self.watch.resume()
        return not self.watch.stopped

    # --- the result

    async def _result(self) -> Result:
        evidence = await self._evidence()
        await self.observer.finish(self.output.report, self.job, ends=self.ends)
        await self.lines.finish(self.output.report)
        files, notes = await self._artifacts()
        reason = kill_reason.classify(evidence)
        sentences = (*kill_reason.describe(evidence), *self.output.notes, *notes)
        if reason is not KillReason.NONE:
            await self.watcher.event(RunKilled(reason=reason, evidence=sentences))
        result = build_result(
            self.sandbox, self.output, self.sampler.last, evidence.exit_code, reason, sentences
        )
        return result.with_artifacts(files)

    async def _artifacts(self) -> tuple[tuple[Artifact, ...], tuple[str, ...]]:
        """Store the artifacts, and return them with notes about what was left out."""
        return await keep_artifacts(self.job, self.output.report, self.keeper)

    async def _evidence(self) -> kill_reason.RunEvidence:
        report, usage, limits = self.output.report, self.sampler.last, self.job.limits
        died = not report.received and not self._disconnected
        state = await self.sandbox.end_state() if died else EndState()
        self._runtime_lost |= state.runtime_lost
        exit_code = 128 + report.signal if report.signal else report.exit_code
        return kill_reason.RunEvidence(
            requested=self._requested,
            requested_by=self._requested_by,
            reported=report.received,
            exit_code=exit_code if report.received else state.exit_code,
            signal=report.signal,
            guest_deadline=report.deadline_passed,
            oom_kills=usage.oom_kills if usage else 0,
            runtime_oom=state.runtime_oom,
            kernel_oom=state.kernel_oom,
            memory_at_limit=bool(usage and usage.memory_peak >= 0.97 * limits.memory_mb * 2**20),
            pids_limit_hit=bool(usage and usage.pids_limit_hits),
            task_limit_hit=report.task_limit_hit,
            disk_full=report.disk_full,
            runtime_lost=self._runtime_lost,
            runtime_report=state.reported,
            interference=await self._interference(),
        )

    async def _interference(self) -> str:
        """Return how others ended the program: it was told to end, and not by the engine."""
        report = self.output.report
        if self._requested is not None or report.deadline_passed or not report.received:
            return ""
        return await self.sandbox.interference(likely=report.signal in {signal.SIGTERM, signal.SIGINT})


def _has_helpers(job: Job) -> bool:
    """Return whether the engine starts processes of the program's user beside it: for a network or files."""
    return job.stage is None and (bool(job.session) or job.network is not None)
