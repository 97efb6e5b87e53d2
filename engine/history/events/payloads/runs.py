"""Payloads of events about runs and their sandboxes."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from engine.history.events.blocks import MeterBlock, OutputBlock
from engine.history.events.payloads.base import EventPayload
from engine.models import Digest, KillReason, Limits, Result
from engine.models.lines import MOST_LINES, LineMark
from engine.models.observed import EffectMatch, Observation, ObservedEffect, SurpriseAction
from engine.models.snapshot import RunSnapshot


class RunQueuedPayload(EventPayload):
    """A run waits for a free sandbox."""

    type: Literal["run.queued"]


class SandboxAssignedPayload(EventPayload):
    """A sandbox was created, or acquired from the pool."""

    type: Literal["sandbox.created", "sandbox.acquired"]
    sandbox: str
    image: str
    runtime: str


class SandboxDestroyedPayload(EventPayload):
    """A sandbox was destroyed, or could not be."""

    type: Literal["sandbox.destroyed"]
    sandbox: str
    gone: bool


class SessionChangedPayload(EventPayload):
    """A session was created, restarted or closed."""

    type: Literal["session.created", "session.restarted", "session.closed"]
    why: str = ""


class RunStartedPayload(EventPayload):
    """The code was sent to the sandbox."""

    type: Literal["run.started"]
    sandbox: str
    limits: Limits
    engine: str = ""
    """Where several engines write: which one runs it."""


class RunRefusedPayload(EventPayload):
    """What was about to run differs from what was approved."""

    type: Literal["run.refused"]
    changed: tuple[str, ...]


class PreviewPayload(EventPayload):
    """A preview of a server in a run was opened or closed."""

    type: Literal["preview.opened", "preview.closed"]
    preview: str
    port: int = 0
    requests: int = 0


class RunControlledPayload(EventPayload):
    """A person stopped, killed, paused or resumed a run."""

    type: Literal["run.stop", "run.kill", "run.pause", "run.resume"]


class RunOutputPayload(OutputBlock):
    """A run printed; the bytes are stored by their digest."""

    version: ClassVar[int] = 1
    type: Literal["run.output"]


class RunMetersPayload(MeterBlock):
    """Resource samples of a run."""

    version: ClassVar[int] = 1
    type: Literal["run.meters"]


class OutputTruncatedPayload(EventPayload):
    """A run exceeded its output limit, and the rest was dropped."""

    type: Literal["run.output_truncated"]
    limit_bytes: int


class RunDisplayPayload(EventPayload):
    """A notebook displayed something; the end of the run has all of it."""

    type: Literal["run.display"]
    mime: str
    size: int
    digest: Digest | None = None
    final: bool = False


class RunEffectsPayload(EventPayload):
    """The kernel of the sandbox reported effects of the code."""

    type: Literal["run.effects"]
    effects: tuple[ObservedEffect, ...]


class RunObservedPayload(EventPayload):
    """All observed effects of a run have been recorded."""

    type: Literal["run.observed"]
    observation: Observation
    state: str = ""
    """Its status in the word that searches use; empty in older records, which such a search does not find."""


class RunSurprisePayload(EventPayload):
    """A run did what nobody predicted, or what was not granted."""

    type: Literal["run.surprise"]
    surprises: tuple[EffectMatch, ...]
    action: SurpriseAction


class RunSnapshotPayload(EventPayload):
    """What a run was doing when the policy paused it at a surprise."""

    type: Literal["run.snapshot"]
    snapshot: RunSnapshot


class RunLinesPayload(EventPayload):
    """Which lines of the code ran, as the interpreter inside the sandbox said."""

    type: Literal["run.lines"]
    marks: tuple[LineMark, ...] = Field(max_length=MOST_LINES)
    hits_limit: int = 0
    partial: bool = False


class PackagesReadyPayload(EventPayload):
    """The granted packages are installed."""

    type: Literal["packages.ready"]
    layer: str
    packages: tuple[str, ...]
    size: int
    built: bool


class NetworkAttemptedPayload(EventPayload):
    """A run asked for a host, and was allowed or denied."""

    type: Literal["network.attempt"]
    host: str
    port: int
    method: str
    allowed: bool
    why: str
    secrets: tuple[str, ...] = ()


class RunKilledPayload(EventPayload):
    """The engine killed a run, with the evidence."""

    type: Literal["run.killed"]
    reason: KillReason
    evidence: tuple[str, ...]


class RunArtifactPayload(EventPayload):
    """An artifact of a run was stored."""

    type: Literal["run.artifact"]
    name: str
    size: int
    digest: Digest


class RunEndedPayload(Result):
    """A run ended."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["run.ended"]
