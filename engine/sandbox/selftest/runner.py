"""Tries on this very machine to break what a sandbox promises."""

from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass

from engine.common.text import Untrusted
from engine.models import KillReason, Language, Limits, Meters, OutputChunk, Stream
from engine.sandbox.api.backend import Backend
from engine.sandbox.api.egress_policy import EgressPolicy
from engine.sandbox.api.job import Job
from engine.sandbox.api.network_spec import NetworkSpec
from engine.sandbox.api.permit import StartPermit, StartRequest, permit_image
from engine.sandbox.api.run_events import RunEvent
from engine.sandbox.selftest.access_attacks import INTRUSIONS
from engine.sandbox.selftest.attack_case import AttackCase
from engine.sandbox.selftest.egress_attacks import OUTINGS
from engine.sandbox.selftest.escape_attacks import ESCAPES
from engine.sandbox.selftest.resource_attacks import BOMBS

ATTEMPTS = (*INTRUSIONS, *ESCAPES, *OUTINGS, *BOMBS)


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """What became of one attempt."""

    attempt: AttackCase
    held: bool
    detail: Untrusted


class _StdoutTail:
    """A watcher that keeps the end of standard output."""

    def __init__(self, image_digest: str) -> None:
        self.tail = b""
        self._image_digest = image_digest

    async def permit(self, request: StartRequest) -> StartPermit:
        return permit_image(request, self._image_digest)

    async def output(self, chunk: OutputChunk) -> None:
        if chunk.stream is Stream.STDOUT:
            self.tail = (self.tail + chunk.data)[-4096:]

    def meters(self, sample: Meters) -> None:
        pass

    async def event(self, event: RunEvent) -> None:
        pass


async def attempt(backend: Backend, tried: AttackCase, images: Mapping[Language, str]) -> AttackOutcome:
    """Run one attempt, and return whether the promise held. Raises SandboxUnavailable."""
    image = await backend.image_digest(images[tried.language])
    listener = _StdoutTail(image)
    limits = Limits.model_validate({"seconds": 20} | tried.limits)
    code = tried.code.encode()
    network = (
        NetworkSpec(EgressPolicy(tuple(tried.names), names=tried.names), tried.secrets)
        if tried.names
        else None
    )
    job = Job(uuid.uuid4().hex, tried.language, image, code, (), limits, network=network)
    result = await backend.run(job, listener)
    output = listener.tail.decode("utf-8", "replace").strip()
    allowed = result.kill_reason in tried.ends
    quiet = result.kill_reason is not KillReason.NONE or len(tried.ends) > 1 or output.endswith("held")
    detail = f"{result.kill_reason}: {output[-200:] or '; '.join(result.evidence)}"
    return AttackOutcome(tried, allowed and quiet, Untrusted(detail))


async def selftest(
    backend: Backend, images: Mapping[Language, str], attempts: Sequence[AttackCase] = ATTEMPTS
) -> AsyncGenerator[AttackOutcome, None]:
    """Run attempts, one after the other. Raises SandboxUnavailable."""
    for tried in attempts:
        yield await attempt(backend, tried, images)
