"""What happens during a run, as a backend reports it to the watcher."""

from __future__ import annotations

from engine.models import Display, KillReason
from engine.models.base import FrozenModel
from engine.models.lines import RunLines
from engine.models.observed import Observation, ObservedEffect


class RunQueued(FrozenModel):
    """The run waits for a free slot."""

    position: int
    seconds: float
    """Estimated wait."""


class SandboxAcquired(FrozenModel):
    """The run has a sandbox; no code is in it yet."""

    sandbox: str
    image: str
    """The digest of its image."""
    kernel: str
    runtime: str
    session: str = ""
    warm: bool = False
    """Whether it was ready before the run asked for one."""


class PackagesReady(FrozenModel):
    """The granted packages are installed for the run."""

    layer: str
    packages: tuple[str, ...]
    size: int
    built: bool
    """Whether they were installed just now; otherwise an existing layer is used."""


class NetworkAttempt(FrozenModel):
    """The guest tried to reach a host."""

    host: str
    port: int
    method: str
    allowed: bool
    why: str
    secrets: tuple[str, ...] = ()
    """The names of the secrets that went with it."""


class RunDisplay(FrozenModel):
    """The code displayed something while it runs."""

    display: Display


class EffectsObserved(FrozenModel):
    """The kernel of the sandbox reported effects; the last report of a number is the one that counts."""

    effects: tuple[ObservedEffect, ...]


class RunObserved(FrozenModel):
    """All effects of the run have been reported, as far as they were observed."""

    observation: Observation


class LinesRan(FrozenModel):
    """The interpreter said which lines of the code ran."""

    lines: RunLines
    final: bool = False
    """Whether the run is over; only this is recorded."""


class OutputTruncated(FrozenModel):
    """The run wrote more than its limit; the rest is dropped."""

    limit_bytes: int


class RunKilled(FrozenModel):
    """The run did not end by itself."""

    reason: KillReason
    evidence: tuple[str, ...]


class SandboxDestroyed(FrozenModel):
    """The sandbox of the run was removed, or could not be."""

    sandbox: str
    gone: bool


RunEvent = (
    RunQueued
    | SandboxAcquired
    | PackagesReady
    | NetworkAttempt
    | RunDisplay
    | EffectsObserved
    | RunObserved
    | LinesRan
    | OutputTruncated
    | RunKilled
    | SandboxDestroyed
)
