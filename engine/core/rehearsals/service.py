"""Rehearses pending submissions: who may, in what, and what is recorded."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.common.supervisor import describe
from engine.common.text import Untrusted, visible
from engine.core.drills.service import Drills
from engine.core.history.event_bus import EventBus
from engine.core.queue import ActiveSubmission, WorkQueue, open_entry
from engine.core.rehearsals.going import GoingRehearsal
from engine.core.rehearsals.permission import require_rehearsable, require_stoppable
from engine.core.rehearsals.proof import with_proof
from engine.core.rehearsals.watcher import RehearsalWatcher
from engine.core.review.decision_executor import DecisionExecutor
from engine.core.review.decisions import ReviewDecisions
from engine.models import InputFile, Principal, Result, Status
from engine.models.past_decisions import DrillOutcome
from engine.models.rehearsal import MOST_SECONDS, MOST_SHORTENED_SECONDS, Rehearsal
from engine.principals import may
from engine.principals.roles import Action
from engine.sandbox import Backend, Job, SandboxUnavailable
from engine.sandbox.rehearsal.stage import Stage

_AROUND_SECONDS = 60.0
"""How long everything around it may take: the sandbox, and what is on its way."""
_PACKAGE_SECONDS = 120.0
"""How long the installation of packages may take."""
MOST_TIMES = 10
"""How often one submission is rehearsed."""


class Rehearsals:
    """Runs what waits with nothing granted, and adds what is proven to the case."""

    def __init__(
        self,
        events: EventBus,
        queue: WorkQueue,
        decisions: ReviewDecisions,
        sandboxes: Backend,
        executor: DecisionExecutor,
        drills: Drills,
    ) -> None:
        self._events = events
        self._queue = queue
        self._decisions = decisions
        self._sandboxes = sandboxes
        self._executor = executor
        self._drills = drills
        self._going: dict[str, GoingRehearsal] = {}

    async def rehearse(self, id: str, by: Principal, *, withhold: bool = False) -> Rehearsal:
        """Rehearse a pending submission, with its input files unless they are withheld.

        Raises:
            Problem: the principal may not, it is not pending, it is being rehearsed, it was rehearsed too
                often (429), nothing can run, or somebody stopped it.
        """
        entry = open_entry(self._queue, id)
        require_rehearsable(entry.case, by, self._decisions.policy)
        await self._end_drill(entry, by)
        self._drills.require_runnable(id, entry.case.submission.draft)
        if id in self._going:
            raise Problem(409, f"{id} is being rehearsed", hint="Wait for its result.")
        going = self._going[id] = GoingRehearsal(by)
        try:
            await self._require_few(id)
            return await self._recorded(entry, going, withhold=withhold)
        finally:
            del self._going[id]

    def stop(self, id: str, by: Principal) -> None:
        """Stop a rehearsal. Raises Problem: there is none (404), or the principal may not (403)."""
        if (going := self._going.get(id)) is None:
            raise Problem(404, f"{visible(id)} is not being rehearsed")
        require_stoppable(going.by, by)
        going.stop(by)

    async def _end_drill(self, entry: ActiveSubmission, by: Principal) -> None:
        """End a drill that a reviewer wants to rehearse. Raises Problem (409) with what it was."""
        if not entry.is_drill or not may(by, Action.DECIDE):
            return
        async with self._queue.exclusive(entry):
            if entry.case.status is Status.PENDING:
                await self._executor.end_drill(entry, by, DrillOutcome.REHEARSED)
        raise Problem(409, f"{entry.id} was a drill, which never runs: {entry.case.drill}")

    async def _require_few(self, id: str) -> None:
        """Check how often it was rehearsed: each time, code may learn what a rehearsal is like."""
        events = await self._events.log.read.events(subject=id)
        if sum(event.type == "rehearsal.started" for event in events) >= MOST_TIMES:
            hint = f"Type: pratique rehearse --last {visible(id)}"
            raise Problem(429, f"{visible(id)} was rehearsed {MOST_TIMES} times already", hint=hint)

    async def last(self, id: str) -> Rehearsal:
        """Return the last rehearsal of a submission. Raises Problem (404) if there is none."""
        events = await self._events.log.read.events(subject=id)
        found = [event.data["rehearsal"] for event in events if event.type == "rehearsal.ended"]
        if not found:
            raise Problem(404, f"{id} was not rehearsed", hint=f"Type: pratique rehearse {visible(id)}")
        return Rehearsal.model_validate(found[-1])

    async def _recorded(self, entry: ActiveSubmission, going: GoingRehearsal, *, withhold: bool) -> Rehearsal:
        by = going.by
        image = await self._decisions.image_of(entry.case)
        await self._events.record(
            "rehearsal.started",
            entry.id,
            by.name,
            data={"image": image, "withheld": withhold, "shortened_seconds": MOST_SHORTENED_SECONDS},
        )
        begun = Rehearsal(
            submission=entry.id,
            by=by.name,
            at=datetime.now(UTC),
            image=image,
            withheld=withhold,
            shortened_seconds=MOST_SHORTENED_SECONDS,
        )
        try:
            packages = _PACKAGE_SECONDS if entry.case.submission.draft.permissions.packages else 0
            async with going.bounded(MOST_SECONDS + _AROUND_SECONDS + packages):
                rehearsal = await self._run(entry, begun)
        except (SandboxUnavailable, TimeoutError) as error:
            note, problem = _failure(going, error)
            await self._end(entry, begun.with_note(note))
            raise problem from None
        except asyncio.CancelledError:
            stopped = begun.with_note("it was stopped")
            data = {"rehearsal": stopped.model_dump(mode="json")}
            await self._events.record_soon("rehearsal.ended", entry.id, by.name, data=data)
            raise
        except Exception as error:
            await self._end(entry, begun.with_note(f"it did not run: {describe(error)}"))
            raise
        return await self._end(entry, rehearsal)

    async def _run(self, entry: ActiveSubmission, begun: Rehearsal) -> Rehearsal:
        draft = entry.case.submission.draft
        stage = Stage(draft.language, () if begun.withheld else draft.files)
        watcher, began = RehearsalWatcher(begun.image), time.monotonic()
        result = await self._sandboxes.run(self._job(entry, begun.image, stage), watcher)
        if not watcher.permitted:
            raise SandboxUnavailable("; ".join(result.evidence) or "the code was not started")
        packages = f"packages installed: {watcher.packages}" if watcher.packages else ""
        searched = "" if stage.record.complete else "not everything that was sent could be searched"
        notes = tuple(note[:300] for note in (packages, searched) if note)
        return begun.ended(
            seconds=_seconds(result, began),
            findings=tuple(stage.record.findings),
            contacts=stage.record.contacts,
            omitted=stage.record.omitted,
            effects=watcher.effects,
            observation=watcher.observation,
            changed=stage.changed,
            output=Untrusted(watcher.printed),
            exit_code=result.exit_code,
            kill_reason=result.kill_reason,
            notes=notes,
        )

    def _job(self, entry: ActiveSubmission, image: str, stage: Stage) -> Job:
        """Return the job: the very code, and nothing of what is requested but its limits and packages."""
        submission = entry.case.submission
        files: tuple[InputFile, ...] = stage.files
        return Job(
            run=f"rehearsal-{submission.id}",
            language=submission.draft.language,
            image_digest=image,
            code=submission.draft.code.text.encode(),
            files=files,
            limits=submission.draft.permissions.limits.within_seconds(MOST_SECONDS),
            principal=submission.requester.identity,
            packages=submission.draft.permissions.packages,
            stage=stage,
        )

    async def _end(self, entry: ActiveSubmission, rehearsal: Rehearsal) -> Rehearsal:
        """Record what was found; what it proves becomes part of a case that still waits."""
        data = {"rehearsal": rehearsal.model_dump(mode="json")}
        async with self._queue.exclusive(entry):
            case = with_proof(entry.case, rehearsal)
            if case is entry.case or case.status is not Status.PENDING:
                await self._events.record_surely("rehearsal.ended", entry.id, rehearsal.by, data=data)
                return rehearsal
            await self._events.record_surely("rehearsal.ended", entry.id, rehearsal.by, data=data, case=case)
            self._queue.update(entry, case)
        return rehearsal


def _failure(going: GoingRehearsal, error: Exception) -> tuple[str, Problem]:
    """Return what is recorded of a rehearsal without a result, and what is answered."""
    if going.stopped_by is not None:
        note = f"it was stopped by {visible(going.stopped_by.name)}"
        return note, Problem(409, f"no rehearsal: {note}")
    why = str(error) or "it took too long"
    hint = (isinstance(error, SandboxUnavailable) and error.hint) or "pratique doctor"
    return f"it did not run: {why}", Problem(503, f"no rehearsal: {why}", hint=f"Type: {hint}")


def _seconds(result: Result, began: float) -> float:
    return round(result.duration or time.monotonic() - began, 3)
