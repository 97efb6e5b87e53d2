"""Runs: what was approved goes into a sandbox, and can be stopped, killed, frozen and thawed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from engine.common.errors import Problem
from engine.core.history.event_bus import EventBus
from engine.core.runs.execution import RunRecorder, execute, failed, image_name
from engine.core.runs.output_validation import validate_output
from engine.core.sessions.registry import SessionRegistry
from engine.core.submissions.active import ActiveSubmission, ActiveSubmissions
from engine.images import reference
from engine.models import Case, Display, KillReason, Principal, Result, SessionState, Status
from engine.sandbox import Backend
from engine.settings import SandboxSettings


class Runs:
    """The runs under way."""

    def __init__(
        self,
        settings: SandboxSettings,
        events: EventBus,
        sandboxes: Backend,
        active: ActiveSubmissions,
        tasks: asyncio.TaskGroup,
        changed: Callable[[Case, str], tuple[str, ...]],
        register: SessionRegistry,
    ) -> None:
        self._settings = settings
        self._events = events
        self._sandboxes = sandboxes
        self._active = active
        self._tasks = tasks
        self._changed = changed
        self._register = register

    def start(self, entry: ActiveSubmission) -> None:
        """Run an approved submission."""
        entry.task = self._tasks.create_task(self._run(entry))

    async def interrupted(self, entry: ActiveSubmission) -> None:
        """Close a run that an earlier engine left open."""
        await self._ended(entry, failed("the engine ended while it ran", KillReason.INTERRUPTED))

    async def stop(self, id: str, by: Principal) -> None:
        """Ask a run to end (TERM; INT in a session), and end it (KILL) after the grace."""
        entry = await self._asked("run.stop", id, by)
        await self._sandboxes.stop(entry.id, by.name.text)

    async def kill(self, id: str, by: Principal) -> None:
        """End a run at once."""
        entry = await self._asked("run.kill", id, by)
        await self._sandboxes.kill(entry.id, by.name.text)

    async def pause(self, id: str, by: Principal) -> None:
        """Hold a run where it is.

        Raises:
            Problem: there is no such run, or runs cannot be held here.
        """
        if not self._sandboxes.capabilities.pause:
            raise Problem(409, "runs cannot be frozen here: control groups are not ours", hint="Stop it.")
        entry = await self._asked("run.pause", id, by)
        if await self._sandboxes.pause(entry.id):
            self._register.stands(entry.case.submission.draft.session, SessionState.PAUSED)

    async def resume(self, id: str, by: Principal) -> None:
        """Let a frozen run go on."""
        entry = await self._asked("run.resume", id, by)
        if await self._sandboxes.resume(entry.id):
            self._register.stands(entry.case.submission.draft.session, SessionState.RUNNING)

    async def _asked(self, what: str, id: str, by: Principal) -> ActiveSubmission:
        entry = self._active.running(id)
        await self._events.record(what, id, by.name)
        return entry

    async def _run(self, entry: ActiveSubmission) -> None:
        approved = entry.case
        image = reference(image_name(approved, self._settings))
        execution = RunRecorder(
            entry.id,
            entry.stream,
            self._events,
            partial(self._started, entry),
            partial(self._as_approved, entry),
            partial(self._showed, entry),
        )
        try:
            await self._as_approved(entry, approved.decision.image if approved.decision else "")
            result = await execute(approved, image, self._sandboxes, execution)
            result = await validate_output(approved, result, entry.stream)
        except asyncio.CancelledError:
            stopped = failed("the engine stopped while it ran", KillReason.INTERRUPTED)
            await asyncio.shield(self._ended(entry, stopped))
            raise
        except Problem as problem:
            result = failed(str(problem), KillReason.POLICY)
        await self._ended(entry, result)

    async def _as_approved(self, entry: ActiveSubmission, image: str) -> None:
        """Let a sandbox of an image be used for what was approved, and nothing else.

        Raises:
            Problem: anything differs from what was approved.
        """
        submission = entry.case.submission
        self._register.may_use(submission.draft, submission.requester)
        changed = self._changed(entry.case, image)
        if changed:
            await self._events.record("run.refused", entry.id, data={"changed": list(changed)})
            raise Problem(409, f"{entry.id} is not what was approved: {'; '.join(changed)}")

    async def _started(self, entry: ActiveSubmission, data: dict[str, Any]) -> None:
        update = {"status": Status.RUNNING, "started_at": datetime.now(UTC)}
        case: Case = entry.case.model_copy(update=update)
        await self._events.record("run.started", entry.id, data=data, case=case)
        entry.case = case
        self._register.began(case.submission.draft.session, entry.id)

    def _showed(self, entry: ActiveSubmission, display: Display) -> None:
        entry.case = entry.case.model_copy(update={"displays": (*entry.case.displays, display)})

    async def _ended(self, entry: ActiveSubmission, result: Result) -> None:
        status = Status.FINISHED if result.kill_reason is KillReason.NONE else Status.KILLED
        case: Case = entry.case.model_copy(update={"status": status, "result": result, "displays": ()})
        await self._events.record("run.ended", entry.id, data=result.model_dump(mode="json"), case=case)
        entry.case = case
        session = case.submission.draft.session
        self._register.ended(session, lives=self._sandboxes.sessions.lives(session))
        self._active.close(entry)
