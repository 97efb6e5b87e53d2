"""Run approved submissions, and stop, kill, pause and resume them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Literal, Protocol

from engine.common import log
from engine.common.errors import Problem
from engine.common.supervisor import Supervisor, describe
from engine.core.drills.service import Drills
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.core.response.blocks import Blocks
from engine.core.review.decisions import ReviewDecisions
from engine.core.runs.approval_record import ApprovalRecord
from engine.core.runs.effect_watch import EffectWatch
from engine.core.runs.execution import RunRecorder, execute, failed, needs_more_than_a_sandbox
from engine.core.runs.output_validation import validate_output
from engine.core.runs.start_gate import StartGate
from engine.core.sessions.registry import SessionRegistry
from engine.history.errors import HistoryError, SupersededError
from engine.models import Case, Display, KillReason, Principal, Result, SessionState, Status
from engine.models.snapshot import RunSnapshot
from engine.sandbox import Backend, SandboxUnavailable, StartRequest

LAST_RECORD_SECONDS = 2.0
"""How long an engine that stops waits for the record of an interrupted run; the next engine makes it up."""
INTERRUPT_SECONDS = 10.0
"""How long it waits for all of them."""


class RemoteRuns(Protocol):
    """Reaches the runs of other engines."""

    async def call(self, act: Literal["stop", "kill", "pause", "resume"], run: str, by: Principal) -> None:
        """Do something to a run that another engine has. Raises Problem."""


class RunOffers(Protocol):
    """Offers approved runs to other engines."""

    def offer(self, entry: ActiveSubmission) -> bool:
        """Offer a run for which there is no place here; return whether it is offered."""

    async def give_up(self, entry: ActiveSubmission) -> bool:
        """Offer a run that has not started here, and never will; return whether it is offered.

        Raises:
            HistoryError: it is not known whether it is.
        """

    def wake(self) -> None:
        """Look soon whether a run is offered: there is a place for one."""


@dataclass
class _Outcome:
    """What became of a run: once there is a result, it is recorded and never run again."""

    started: bool = False
    result: Result | None = None


class Runs:
    """Starts and controls the runs of approved submissions."""

    def __init__(
        self,
        events: EventBus,
        sandboxes: Backend,
        queue: WorkQueue,
        supervisor: Supervisor,
        decisions: ReviewDecisions,
        registry: SessionRegistry,
        blocks: Blocks,
        drills: Drills,
    ) -> None:
        self._events = events
        self._sandboxes = sandboxes
        self._queue = queue
        self._supervisor = supervisor
        self._decisions = decisions
        self._running: set[asyncio.Task[None]] = set()
        self._registry = registry
        self._blocks = blocks
        self._drills = drills
        self.remote: RemoteRuns | None = None
        """Reaches the runs of other engines, where there are some."""
        self.offers: RunOffers | None = None
        """Offers runs to other engines, where there are some."""
        self.is_draining = False
        """Whether this engine leaves what is approved to others, where there are some."""
        self.is_ending = False
        """Whether this engine starts nothing any more."""

    @property
    def free_places(self) -> int:
        """How many more runs this engine starts at once."""
        if self.is_ending or self.is_draining:
            return 0
        return max(0, self._sandboxes.settings.concurrent - len(self._running))

    def drain(self) -> None:
        """From now on leave what is approved to other engines: this one will end once its runs have."""
        self.is_draining = True

    @contextlib.contextmanager
    def starting(self, entry: ActiveSubmission, approved: Case) -> Iterator[None]:
        """Run a submission once the block has recorded its approval; where the block fails, nothing runs.

        Meanwhile a sandbox is made ready for it, unless another engine may get it.
        """
        if self.offers is not None:
            yield
            self.start(entry)
            return
        approval = ApprovalRecord()
        task = self._launch(entry, approved, approval)
        try:
            yield
        except BaseException:
            approval.failed()
            task.cancel()
            raise
        entry.is_here = True
        approval.made()

    def start(self, entry: ActiveSubmission) -> None:
        """Run an approved submission here, or offer it to all engines where this one has no place for it."""
        if self.offers is None or not self.offers.offer(entry):
            self.run_here(entry)

    def run_here(self, entry: ActiveSubmission) -> None:
        """Run an approved submission that is with this engine."""
        entry.is_here, entry.is_offered = True, False
        approval = ApprovalRecord()
        approval.made()
        self._launch(entry, entry.case, approval)

    def _launch(
        self, entry: ActiveSubmission, approved: Case, approval: ApprovalRecord
    ) -> asyncio.Task[None]:
        task = self._supervisor.start("runs", partial(self._run, entry, approved, approval, _Outcome()))
        self._running.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if self.offers:
            self.offers.wake()

    async def cancel(self) -> None:
        """Interrupt every run, because the engine stops, and wait for their ends."""
        self.is_ending = True
        running = tuple(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=INTERRUPT_SECONDS)

    async def close_interrupted(
        self, entry: ActiveSubmission, why: str = "the engine ended while it ran"
    ) -> None:
        """Close a run that was running when an earlier engine ended, or that no engine started in time."""
        interrupted = failed(why, KillReason.INTERRUPTED)
        closing = self._supervisor.start("recovery", partial(self._finish, entry, interrupted))
        await asyncio.wait({closing}, timeout=LAST_RECORD_SECONDS)

    async def stop(self, id: str, by: Principal) -> None:
        """Ask a run to end (TERM, or INT in a session); kill it after the grace period."""
        entry = self._running_entry(id)
        if self.remote and not entry.is_here:
            await self.remote.call("stop", id, by)
            return
        await self._sandboxes.stop(entry.id, by.name.text)
        await self._events.record_soon("run.stop", id, by.name)

    async def kill(self, id: str, by: Principal) -> None:
        """Kill a run at once."""
        entry = self._running_entry(id)
        if self.remote and not entry.is_here:
            await self.remote.call("kill", id, by)
            return
        await self._sandboxes.kill(entry.id, by.name.text)
        await self._events.record_soon("run.kill", id, by.name)

    async def pause(self, id: str, by: Principal) -> None:
        """Pause a run.

        Raises:
            Problem: there is no such run, or runs cannot be paused on this host.
        """
        entry = self._running_entry(id)
        if self.remote and not entry.is_here:
            await self.remote.call("pause", id, by)
            return
        if not self._sandboxes.capabilities.pause:
            raise Problem(
                409,
                "runs cannot be paused here: the engine cannot write control groups",
                hint="Stop the run.",
            )
        if await self._sandboxes.pause(entry.id):
            self._registry.set_state(entry.case.submission.draft.session, SessionState.PAUSED)
        await self._events.record_soon("run.pause", id, by.name)

    async def resume(self, id: str, by: Principal) -> None:
        """Resume a paused run."""
        entry = self._running_entry(id)
        if self.remote and not entry.is_here:
            await self.remote.call("resume", id, by)
            return
        await self._events.record("run.resume", id, by.name)
        if await self._sandboxes.resume(entry.id):
            self._registry.set_state(entry.case.submission.draft.session, SessionState.RUNNING)

    async def look(self, id: str) -> RunSnapshot:
        """Return what a running or paused run is doing: its processes, open files, last effects.

        Raises:
            Problem: it is not running (409).
        """
        entry = self._running_entry(id)
        if self.remote and not entry.is_here:
            raise Problem(409, f"{id} runs on another engine, which alone can look into it")
        try:
            return await self._sandboxes.look(entry.id)
        except SandboxUnavailable as error:
            raise Problem(409, f"{id}: {error}", hint=f"pratique effects {id}") from None

    def _running_entry(self, id: str) -> ActiveSubmission:
        entry = open_entry(self._queue, id)
        if entry.case.status is not Status.RUNNING:
            raise Problem(409, f"{id} is not running: it is {entry.case.status}")
        return entry

    async def _run(
        self, entry: ActiveSubmission, approved: Case, approval: ApprovalRecord, outcome: _Outcome
    ) -> None:
        """Run to the end and record it; called again after a failure, it only records."""
        if not outcome.started:
            outcome.started = True
            outcome.result = await self._result(entry, approved, approval)
        if await approval.is_made():
            await self._finish(entry, outcome.result or failed("the engine failed while it ran"))

    async def _result(self, entry: ActiveSubmission, approved: Case, approval: ApprovalRecord) -> Result:
        """Run an approved submission and return its result, whatever goes wrong."""
        gate = StartGate(entry.id, partial(self._record_start, entry))
        effects = EffectWatch(approved, self._decisions.policy, self._sandboxes, self._events)
        displayed = partial(self._add_display, entry)
        recorder = RunRecorder(entry.id, entry.stream, self._events, approval, gate, effects, displayed)
        try:
            if needs_more_than_a_sandbox(approved):
                await approval.is_made()
            self._require_runnable(approved)
            result = await execute(approved, self._sandboxes, recorder, self._supervisor)
            return effects.completed(await validate_output(approved, result, entry.stream))
        except asyncio.CancelledError:
            if approval.on_disk:
                await asyncio.shield(self._leave(entry, gate))
            raise
        except Problem as problem:
            return failed(str(problem), KillReason.POLICY)
        except SupersededError as taken:  # another engine has recorded its end, or does so
            return failed(str(taken), KillReason.INTERRUPTED)
        except Exception as error:  # the approval of a run that failed is used up, whatever the reason
            reference = log.internal_error(error, "runs")
            return failed(f"the engine failed while it ran: {describe(error)}, reference {reference}")

    async def _leave(self, entry: ActiveSubmission, gate: StartGate) -> None:
        """Leave a run that has not started to the other engines, or record its end: this one stops."""
        if gate.requested or not await self._is_given_up(entry):
            await self._interrupted(entry)

    async def _is_given_up(self, entry: ActiveSubmission) -> bool:
        with contextlib.suppress(HistoryError, TimeoutError):
            async with asyncio.timeout(LAST_RECORD_SECONDS):
                return self.offers is not None and await self.offers.give_up(entry)
        return False

    async def _interrupted(self, entry: ActiveSubmission) -> None:
        """Record the end of a run whose engine stops, if the history takes it in time."""
        stopped = failed("the engine stopped while it ran", KillReason.INTERRUPTED)
        with contextlib.suppress(HistoryError, TimeoutError):
            async with asyncio.timeout(LAST_RECORD_SECONDS):
                await self._finish(entry, stopped)

    def _require_runnable(self, case: Case) -> None:
        """Check that a submission is no drill, and that nothing blocks it. Raises Problem."""
        submission = case.submission
        self._drills.require_runnable(submission.id, submission.draft)
        self._blocks.require_none(submission)
        self._registry.check_draft(submission.draft, submission.requester)

    async def _check_approval(self, entry: ActiveSubmission, image: str) -> None:
        """Check that submission and image are those that were approved, blocked by nothing, and no drill.

        Raises:
            Problem: something differs, or is blocked.
        """
        self._require_runnable(entry.case)
        changed = self._decisions.changed(entry.case, image)
        if changed:
            await self._events.record_surely("run.refused", entry.id, data={"changed": list(changed)})
            raise Problem(409, f"{entry.id} is not what was approved: {'; '.join(changed)}")

    async def _record_start(self, entry: ActiveSubmission, request: StartRequest) -> None:
        """Check the approval, and record the start as long as it holds. Raises Problem."""
        case = entry.case.with_run_started(datetime.now(UTC))
        grant = case.decision.grant if case.decision else None
        limits = grant.permissions.limits.model_dump() if grant else {}
        data = {"sandbox": request.sandbox, "limits": limits}
        if engines := self._events.log.engines:
            data["engine"] = engines.name

        async def start() -> None:
            await self._check_approval(entry, request.image_digest)  # each time: it may wait for the disk
            await self._events.record(
                "run.started", entry.id, data=data, case=case, entry=entry, patient=True
            )

        await self._events.pending.insist(start)
        self._queue.update(entry, case)
        self._registry.execution_started(case.submission.draft.session, entry.id)

    def _add_display(self, entry: ActiveSubmission, display: Display) -> None:
        self._queue.update(entry, entry.case.with_display(display))

    async def _finish(self, entry: ActiveSubmission, result: Result) -> None:
        case = entry.case.with_result(result)
        try:
            await self._events.record_surely(
                "run.ended", entry.id, data=result.model_dump(mode="json"), case=case, entry=entry
            )
        except SupersededError:
            await self._superseded(entry, result)
            return
        self._queue.update(entry, case)
        session = case.submission.draft.session
        self._registry.execution_ended(session, lives=self._sandboxes.sessions.has_state(session))
        self._queue.close(entry)

    async def _superseded(self, entry: ActiveSubmission, result: Result) -> None:
        """Close what another engine has ended. What is open still keeps its place, and gets its end later."""
        engines = self._events.log.engines
        version = (await engines.versions()).get(entry.id) if engines else None
        if version is None:
            self._queue.close(entry)
        elif entry.is_here and engines and (await engines.places()).get(entry.id) == engines.name:
            entry.version = version
            await self._finish(entry, result)
        else:
            entry.is_here = False
