"""Executes one approved run, and passes its output and events to the history and to readers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from engine.common.errors import Problem
from engine.common.supervisor import Supervisor
from engine.core.config import secret_store
from engine.core.history.event_bus import EventBus
from engine.core.runs.approval_record import ApprovalRecord
from engine.core.runs.effect_watch import EffectWatch
from engine.core.runs.history_events import history_event, is_durable
from engine.core.runs.run_stream import RunStream
from engine.core.runs.start_gate import StartGate
from engine.core.submissions.canonical import digest
from engine.models import (
    Case,
    Display,
    EffectKind,
    KillReason,
    Language,
    Meters,
    OutputChunk,
    Permissions,
    Result,
)
from engine.sandbox import Backend, Job, SandboxUnavailable
from engine.sandbox.api.egress_policy import EgressPolicy
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest
from engine.sandbox.api.results import result_not_started
from engine.sandbox.api.run_events import (
    LinesRan,
    RunDisplay,
    RunEvent,
    RunKilled,
    SandboxAcquired,
    SandboxDestroyed,
)
from engine.settings import NetworkSettings, SandboxSettings

METERS_SECONDS = 1.0
"""How long the end of a run waits for its last samples."""
ENDS = (RunKilled, SandboxDestroyed)
DATA_MODULES = frozenset({"numpy", "pandas", "scipy", "sympy", "matplotlib"})


@dataclass(frozen=True)
class RunRecorder:
    """Records one run for the history and its readers: the `Watcher` of the sandbox backend."""

    run: str
    stream: RunStream
    events: EventBus
    approval: ApprovalRecord
    gate: StartGate
    effects: EffectWatch
    displayed: Callable[[Display], None]
    """Called with each display of the code, while it runs."""
    acquired: list[SandboxAcquired] = field(default_factory=list)
    """Recorded with the start, or before what comes in its place."""

    async def permit(self, request: StartRequest) -> StartPermit:
        """Permit the code to start if its approval is on disk, and everything as approved. Raises Problem."""
        self.effects.check_start(request)
        if not await self.approval.is_made():
            raise Problem(409, f"{self.run}: its approval could not be recorded")
        _, permit = await asyncio.gather(self._record_acquired(), self.gate.permit(request))
        return permit

    async def output(self, chunk: OutputChunk) -> None:
        """Record a chunk and pass it to the readers; the guest is held back meanwhile. Raises Problem.

        Nothing is shown before the history has it; a history that takes nothing holds the guest back.
        """
        if not self.gate.permitted:
            raise Problem(409, f"{self.run}: the sandbox backend sent output of a run without a permit")
        await self.events.append_output(self.run, chunk)
        self.stream.add_output(chunk)

    def meters(self, sample: Meters) -> None:
        """Pass a sample to the readers; the history is one of them."""
        self.stream.add_meters(sample)

    async def event(self, event: RunEvent) -> None:
        """Record an event before the next step starts; what only reports an end holds nothing up."""
        if isinstance(event, SandboxAcquired):
            self.acquired.append(event)
            return
        if not await self.approval.is_made():
            return
        await self._record_acquired()
        if isinstance(event, RunDisplay):
            self.displayed(event.display)
        if isinstance(event, LinesRan):
            self.stream.lines = event.lines
            if not event.final:
                return
        await self._record(event)
        await self.effects.take(event)

    async def _record_acquired(self) -> None:
        while self.acquired:
            await self._record(self.acquired.pop(0))

    async def _record(self, event: RunEvent) -> None:
        kind, data = history_event(event)
        if isinstance(event, ENDS):
            await self.events.record_soon(kind, self.run, data=data)
            return
        record = partial(
            self.events.record, kind, self.run, data=data, durable=is_durable(event), patient=True
        )
        await self.events.pending.insist(record)


async def execute(case: Case, sandboxes: Backend, recorder: RunRecorder, supervisor: Supervisor) -> Result:
    """Run an approved case and return its result, also if no sandbox is available.

    Raises:
        Problem: something differs from the approval, or the code ran without a permit.
    """
    job = job_of(case, sandboxes.settings.network)
    recording = supervisor.start("meters", partial(_record_meters, recorder))
    try:
        return recorder.gate.check_result(await sandboxes.run(job, recorder))
    except SandboxUnavailable as error:
        return failed(str(error))
    finally:
        recorder.stream.close()
        await asyncio.wait({recording}, timeout=METERS_SECONDS)
        recording.cancel()


async def _record_meters(recorder: RunRecorder) -> None:
    async for sample in recorder.stream.meters():
        await recorder.events.append_meters(recorder.run, sample)


def job_of(case: Case, network: NetworkSettings) -> Job:
    """Return the job of an approved case, after checking its digest.

    Raises:
        Problem: there is no approval, or the digest differs from the approved one.
    """
    decision, submission = case.decision, case.submission
    if decision is None or decision.grant is None or not decision.image:
        raise Problem(409, f"{submission.id} has no approval")
    if digest(submission.draft, submission.requester) != decision.digest:
        raise Problem(409, f"{submission.id} is not what was approved: its digest differs")
    granted = decision.grant.permissions
    if submission.draft.session and not granted.session:
        raise Problem(409, f"{submission.id} was not granted its session")
    files = tuple(file for file in submission.draft.files if file.name in granted.files)
    return Job(
        run=submission.id,
        language=submission.draft.language,
        image_digest=decision.image,
        code=submission.draft.code.text.encode(),
        files=files,
        limits=granted.limits,
        principal=submission.requester.identity,
        network=_network(granted, network),
        packages=granted.packages,
        builds=tuple(name.text for name in granted.builds),
        session=submission.draft.session,
        operation=submission.draft.operation,
    )


def needs_more_than_a_sandbox(case: Case) -> bool:
    """Return whether a network, packages or a session are made ready for a run, too."""
    granted = case.decision.grant.permissions if case.decision and case.decision.grant else Permissions()
    return bool(case.submission.draft.session or granted.domains or granted.packages or granted.builds)


def _network(granted: Permissions, settings: NetworkSettings) -> NetworkSpec | None:
    """Return the granted network; None without domains. Raises Problem."""
    names = tuple(domain.text for domain in granted.domains)
    secrets = secret_store.granted((name.text for name in granted.secrets), names)
    return NetworkSpec(EgressPolicy.of(names, settings), secrets) if names else None


def image_name(case: Case, settings: SandboxSettings) -> str:
    """Return the image of a case: the requested one, or the one for its language and imports."""
    draft = case.submission.draft
    if draft.image:
        return draft.image
    imported = {EffectKind.MODULE, EffectKind.PACKAGE}
    modules = {item.value.text.split(".")[0] for item in case.analysis.effects if item.kind in imported}
    if draft.language is Language.PYTHON and modules & DATA_MODULES:
        return settings.data_image
    return settings.images[draft.language]


def failed(why: str, reason: KillReason = KillReason.SANDBOX_FAILED) -> Result:
    """Return the result of a run that never started."""
    return result_not_started("", reason, why)
