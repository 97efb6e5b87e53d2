"""What events say of a run and its sandbox."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from engine.history.events.blocks import MeterBlock, OutputBlock
from engine.history.events.payloads.base import EventPayload
from engine.models import Digest, KillReason, Limits, Result


class RunQueued(EventPayload):
    """A run waits for a place among those that run."""

    type: Literal["run.queued"]


class SandboxAssigned(EventPayload):
    """A sandbox was made, or taken from those that were ready."""

    type: Literal["sandbox.created", "sandbox.acquired"]
    sandbox: str
    image: str
    runtime: str


class SandboxDestroyed(EventPayload):
    """A sandbox is gone, or could not be removed."""

    type: Literal["sandbox.destroyed"]
    sandbox: str
    gone: bool


class SessionChanged(EventPayload):
    """A session was created, interrupted, restarted or closed."""

    type: Literal["session.created", "session.interrupted", "session.restarted", "session.closed"]
    why: str = ""


class RunStarted(EventPayload):
    """The code went in."""

    type: Literal["run.started"]
    sandbox: str
    limits: Limits


class RunRefused(EventPayload):
    """What was about to run is not what was approved."""

    type: Literal["run.refused"]
    changed: tuple[str, ...]


class RunControlled(EventPayload):
    """Somebody asked a run to stop, to be killed, to be frozen or to go on."""

    type: Literal["run.stop", "run.kill", "run.pause", "run.resume"]


class RunOutput(OutputBlock):
    """A run printed; the bytes lie beside, by their digest."""

    version: ClassVar[int] = 1
    type: Literal["run.output"]


class RunMeters(MeterBlock):
    """What a run used."""

    version: ClassVar[int] = 1
    type: Literal["run.meters"]


class OutputTruncated(EventPayload):
    """A run printed more than it may, and the rest was dropped."""

    type: Literal["run.output_truncated"]
    limit_bytes: int


class RunDisplay(EventPayload):
    """A notebook showed something while it ran; the end of the run says what, in full."""

    type: Literal["run.display"]
    mime: str
    size: int
    digest: Digest | None = None
    final: bool = False


class PackagesReady(EventPayload):
    """What was granted of packages is installed for a run, now or earlier."""

    type: Literal["packages.ready"]
    layer: str
    packages: tuple[str, ...]
    size: int
    built: bool


class NetworkAttempted(EventPayload):
    """A run asked for a host, and was let out or not."""

    type: Literal["network.attempt"]
    host: str
    port: int
    method: str
    allowed: bool
    why: str


class RunKilled(EventPayload):
    """The engine ended a run, and what it saw that made it do so."""

    type: Literal["run.killed"]
    reason: KillReason
    evidence: tuple[str, ...]


class RunArtifact(EventPayload):
    """A file that a run left was kept."""

    type: Literal["run.artifact"]
    name: str
    size: int
    digest: Digest


class RunEnded(Result):
    """A run is over."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["run.ended"]
