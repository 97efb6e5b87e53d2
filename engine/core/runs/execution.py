"""One run: the approved bytes into a sandbox, and all it says into the audit log and the feed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from engine.common.errors import Problem
from engine.core.config import secret_store
from engine.core.history.event_bus import EventBus
from engine.core.runs.run_stream import RunStream
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
from engine.sandbox.run.results import result_not_started
from engine.settings import NetworkSettings, SandboxSettings

DATA_MODULES = frozenset({"numpy", "pandas", "scipy", "sympy", "matplotlib"})


@dataclass(frozen=True)
class RunRecorder:
    """The `Watcher` of one run: receives what its sandbox reports."""

    run: str
    stream: RunStream
    events: EventBus
    started: Callable[[dict[str, Any]], Awaitable[None]]
    as_approved: Callable[[str], Awaitable[None]]
    """Called with the digest of the image of the sandbox that was got, before anything goes into it."""
    showed: Callable[[Display], None]
    """Called with what a notebook shows, as it does."""

    async def output(self, chunk: OutputChunk) -> None:
        """Keep a chunk and hand it to the readers; the guest waits as long as this does."""
        self.stream.add_output(chunk)
        await self.events.log.append_output(self.run, [chunk])

    def meters(self, sample: Meters) -> None:
        """Hand a sample to the readers, of whom the audit log is one."""
        self.stream.add_meters(sample)

    async def happened(self, type: str, data: dict[str, Any]) -> None:
        """Record a step of the sandbox before the next one starts."""
        prepared = type in {"sandbox.acquired", "sandbox.created"}
        if prepared:
            await self.as_approved(data["image"])
        if type == "run.started":
            await self.started(data)
        elif type == "run.display":
            self.showed(Display.model_validate(data))
            facts = {name: value for name, value in data.items() if name != "text"}
            await self.events.record(type, self.run, data=facts, durable=False)
        else:  # that a sandbox was got is on disk with `run.started`, and so before any code goes in
            await self.events.record(type, self.run, data=data, durable=not prepared)


async def execute(case: Case, image: str, sandboxes: Backend, execution: RunRecorder) -> Result:
    """Run an approved case and return its result; a sandbox that cannot be had is a result too."""
    job = job_of(case, image, sandboxes.settings.network)
    keeping = asyncio.create_task(_keep_meters(execution))
    try:
        return await sandboxes.run(job, execution)
    except SandboxUnavailable as error:
        return failed(str(error))
    finally:
        execution.stream.close()
        await keeping


async def _keep_meters(execution: RunRecorder) -> None:
    async for sample in execution.stream.meters():
        await execution.events.log.append_meters(execution.run, [sample])


def job_of(case: Case, image: str, network: NetworkSettings) -> Job:
    """Return what goes into the sandbox, from the very bytes that were digested for the decision.

    Raises:
        Problem: there is no approval, or the bytes differ from those approved.
    """
    decision, submission = case.decision, case.submission
    if decision is None or decision.grant is None:
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
        image=image,
        code=submission.draft.code.text.encode(),
        files=files,
        limits=granted.limits,
        principal=submission.requester.name.text,
        network=_network(granted, network),
        packages=granted.packages,
        builds=tuple(name.text for name in granted.builds),
        session=submission.draft.session,
        operation=submission.draft.operation,
        image_digest=decision.image,
    )


def _network(granted: Permissions, settings: NetworkSettings) -> NetworkSpec | None:
    """Return what of the network was granted; without a name there is none. Raises Problem."""
    names = tuple(domain.text for domain in granted.domains)
    held = secret_store.granted((name.text for name in granted.secrets), names)
    return NetworkSpec(EgressPolicy.of(names, settings), held) if names else None


def image_name(case: Case, settings: SandboxSettings) -> str:
    """Return the image that a case runs in: the one asked for, or what its language and imports call for."""
    draft = case.submission.draft
    if draft.image:
        return draft.image
    imported = {EffectKind.MODULE, EffectKind.PACKAGE}
    modules = {item.value.text.split(".")[0] for item in case.analysis.effects if item.kind in imported}
    if draft.language is Language.PYTHON and modules & DATA_MODULES:
        return settings.data_image
    return settings.images[draft.language]


def failed(why: str, reason: KillReason = KillReason.SANDBOX_FAILED) -> Result:
    """Return the result of a run that never got to say anything."""
    return result_not_started("", reason, why)
