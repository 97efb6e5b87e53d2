"""Run approved submissions, and stop, kill, pause and resume them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.core.review.decisions import ReviewDecisions
from engine.core.runs.execution import RunRecorder, execute, failed
from engine.core.runs.output_validation import validate_output
from engine.core.runs.start_gate import StartGate
from engine.core.sessions.registry import SessionRegistry
from engine.models import Display, KillReason, Principal, Result, SessionState, Status
from engine.sandbox import Backend, StartRequest


class Runs:
    """Starts and controls the runs of approved submissions."""

    def __init__(
        self,
        events: EventBus,
        sandboxes: Backend,
        queue: WorkQueue,
        tasks: asyncio.TaskGroup,
        decisions: ReviewDecisions,
        registry: SessionRegistry,
    ) -> None:
        self._events = events
        self._sandboxes = sandboxes
        self._queue = queue
        self._tasks = tasks
        self._decisions = decisions
        self._running: set[asyncio.Task[None]] = set()
        self._registry = registry

    def start(self, entry: ActiveSubmission) -> None:
        """Run an approved submission."""
        task = self._tasks.create_task(self._run(entry))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def cancel(self) -> None:
        """Interrupt every run, because the engine stops."""
        for task in tuple(self._running):
            task.cancel()

    async def close_interrupted(self, entry: ActiveSubmission) -> None:
        """Close a run that was running when an earlier engine ended."""
        await self._finish(entry, failed("the engine ended while it ran", KillReason.INTERRUPTED))

    async def stop(self, id: str, by: Principal) -> None:
        """Ask a run to end (TERM, or INT in a session); kill it after the grace period."""
        entry = await self._record_request("run.stop", id, by)
        await self._sandboxes.stop(entry.id, by.name.text)

    async def kill(self, id: str, by: Principal) -> None:
        """Kill a run at once."""
        entry = await self._record_request("run.kill", id, by)
        await self._sandboxes.kill(entry.id, by.name.text)

    async def pause(self, id: str, by: Principal) -> None:
        """Pause a run.

        Raises:
            Problem: there is no such run, or runs cannot be paused on this host.
        """
        if not self._sandboxes.capabilities.pause:
            raise Problem(
                409,
                "runs cannot be paused here: the engine cannot write control groups",
                hint="Stop the run.",
            )
        entry = await self._record_request("run.pause", id, by)
        if await self._sandboxes.pause(entry.id):
            self._registry.set_state(entry.case.submission.draft.session, SessionState.PAUSED)

    async def resume(self, id: str, by: Principal) -> None:
        """Resume a paused run."""
        entry = await self._record_request("run.resume", id, by)
        if await self._sandboxes.resume(entry.id):
            self._registry.set_state(entry.case.submission.draft.session, SessionState.RUNNING)

    async def _record_request(self, event: str, id: str, by: Principal) -> ActiveSubmission:
        entry = open_entry(self._queue, id)
        if entry.case.status is not Status.RUNNING:
            raise Problem(409, f"{id} is not running: it is {entry.case.status}")
        await self._events.record(event, id, by.name)
        return entry

    async def _run(self, entry: ActiveSubmission) -> None:
        approved = entry.case
        gate = StartGate(entry.id, partial(self._check_approval, entry), partial(self._record_start, entry))
        recorder = RunRecorder(entry.id, entry.stream, self._events, gate, partial(self._add_display, entry))
        try:
            await self._check_approval(entry, approved.decision.image if approved.decision else "")
            result = await execute(approved, self._sandboxes, recorder)
            result = await validate_output(approved, result, entry.stream)
        except asyncio.CancelledError:
            stopped = failed("the engine stopped while it ran", KillReason.INTERRUPTED)
            await asyncio.shield(self._finish(entry, stopped))
            raise
        except Problem as problem:
            result = failed(str(problem), KillReason.POLICY)
        await self._finish(entry, result)

    async def _check_approval(self, entry: ActiveSubmission, image: str) -> None:
        """Check that submission and image are those that were approved.

        Raises:
            Problem: something differs.
        """
        submission = entry.case.submission
        self._registry.check_draft(submission.draft, submission.requester)
        changed = self._decisions.changed(entry.case, image)
        if changed:
            await self._events.record("run.refused", entry.id, data={"changed": list(changed)})
            raise Problem(409, f"{entry.id} is not what was approved: {'; '.join(changed)}")

    async def _record_start(self, entry: ActiveSubmission, request: StartRequest) -> None:
        case = entry.case.with_run_started(datetime.now(UTC))
        grant = case.decision.grant if case.decision else None
        limits = grant.permissions.limits.model_dump() if grant else {}
        data = {"sandbox": request.sandbox, "limits": limits}
        await self._events.record("run.started", entry.id, data=data, case=case)
        self._queue.update(entry, case)
        self._registry.execution_started(case.submission.draft.session, entry.id)

    def _add_display(self, entry: ActiveSubmission, display: Display) -> None:
        self._queue.update(entry, entry.case.with_display(display))

    async def _finish(self, entry: ActiveSubmission, result: Result) -> None:
        case = entry.case.with_result(result)
        await self._events.record("run.ended", entry.id, data=result.model_dump(mode="json"), case=case)
        self._queue.update(entry, case)
        session = case.submission.draft.session
        self._registry.execution_ended(session, lives=self._sandboxes.sessions.has_state(session))
        self._queue.close(entry)
