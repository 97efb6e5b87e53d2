"""Runs the attacks of the self-test in sandboxes on this host."""

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
from engine.sandbox.selftest.access_attacks import ACCESS_ATTACKS
from engine.sandbox.selftest.attack_case import AttackCase
from engine.sandbox.selftest.egress_attacks import EGRESS_ATTACKS
from engine.sandbox.selftest.escape_attacks import ESCAPE_ATTACKS
from engine.sandbox.selftest.resource_attacks import RESOURCE_ATTACKS

ATTACKS = (*ACCESS_ATTACKS, *ESCAPE_ATTACKS, *EGRESS_ATTACKS, *RESOURCE_ATTACKS)


@dataclass(frozen=True, slots=True)
class AttackOutcome:
    """The outcome of one attack."""

    attack: AttackCase
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


async def run_attack(backend: Backend, attack: AttackCase, images: Mapping[Language, str]) -> AttackOutcome:
    """Run one attack, and return whether the guarantee held. Raises SandboxUnavailable."""
    image = await backend.image_digest(images[attack.language])
    watcher = _StdoutTail(image)
    limits = Limits.model_validate({"seconds": 20} | attack.limits)
    code = attack.code.encode()
    network = (
        NetworkSpec(EgressPolicy(tuple(attack.names), names=attack.names), attack.secrets)
        if attack.names
        else None
    )
    job = Job(uuid.uuid4().hex, attack.language, image, code, (), limits, network=network)
    result = await backend.run(job, watcher)
    stdout = watcher.tail.decode("utf-8", "replace").strip()
    expected = result.kill_reason in attack.ends
    held = result.kill_reason is not KillReason.NONE or len(attack.ends) > 1 or stdout.endswith("held")
    detail = f"{result.kill_reason}: {stdout[-200:] or '; '.join(result.evidence)}"
    return AttackOutcome(attack, expected and held, Untrusted(detail))


async def selftest(
    backend: Backend, images: Mapping[Language, str], attacks: Sequence[AttackCase] = ATTACKS
) -> AsyncGenerator[AttackOutcome, None]:
    """Run attacks one after the other. Raises SandboxUnavailable."""
    for attack in attacks:
        yield await run_attack(backend, attack, images)
