"""What each type of event says.

A model names what readers of the history rely on; further fields are kept. `version` counts the changes of a
type that a reader has to know about; it is recorded as `v` from 2 on.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from engine.audit.blocks import MeterBlock, OutputBlock
from engine.models import Decision, Digest, KillReason, Language, Level, Limits, Proof, Result, Verification


class Facts(BaseModel):
    """What every type is."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    version: ClassVar[int] = 1


# --- a submission ---------------------------------------------------------------------------------


class Submitted(Facts):
    """Code came in."""

    type: Literal["submitted"]
    digest: Digest
    language: Language
    purpose: str = ""


class Joined(Facts):
    """The same request came again, and got the submission that it had made before."""

    type: Literal["joined"]
    digest: Digest


class Analysed(Facts):
    """Code was read."""

    type: Literal["analysed"]
    rules: tuple[str, ...]
    complete: bool
    seconds: float


class Classified(Facts):
    """Policy said how risky it is."""

    type: Literal["classified"]
    risk: Level
    rules: tuple[str, ...]


class Claimed(Facts):
    """A reviewer took it, or let go of it."""

    type: Literal["claimed", "released"]


class Decided(Decision):
    """It was approved, denied or refused, or nobody decided in time."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["decided", "expired"]


class Reviewed(Decision):
    """It was approved by one reviewer, and another one's approval is still wanted."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["reviewed"]


class Throttled(Facts):
    """Somebody handed in more than is taken, and was told when to come back."""

    type: Literal["throttled"]
    reason: str
    retry_after: float


class StandingChanged(Facts):
    """A standing approval was given, rested upon, or taken back."""

    type: Literal["standing.given", "standing.used", "standing.revoked"]
    standing: str


# --- a run ----------------------------------------------------------------------------------------


class RunQueued(Facts):
    """A run waits for a place among those that run."""

    type: Literal["run.queued"]


class InSandbox(Facts):
    """A sandbox was made, or taken from those that were ready."""

    type: Literal["sandbox.created", "sandbox.taken"]
    sandbox: str
    image: str
    runtime: str


class SandboxDestroyed(Facts):
    """A sandbox is gone, or could not be removed."""

    type: Literal["sandbox.destroyed"]
    sandbox: str
    gone: bool


class SandboxKept(Facts):
    """A sandbox that stays was opened, interrupted, started anew, or is gone."""

    type: Literal["sandbox.opened", "sandbox.interrupt", "sandbox.restart", "sandbox.closed"]
    why: str = ""


class RunStarted(Facts):
    """The code went in."""

    type: Literal["run.started"]
    sandbox: str
    limits: Limits


class RunRefused(Facts):
    """What was about to run is not what was approved."""

    type: Literal["run.refused"]
    changed: tuple[str, ...]


class RunSteered(Facts):
    """Somebody asked a run to stop, to be killed, to be frozen or to go on."""

    type: Literal["run.stop", "run.kill", "run.freeze", "run.thaw"]


class Output(OutputBlock):
    """A run printed; the bytes lie beside, by their digest."""

    version: ClassVar[int] = 1
    type: Literal["output"]


class Metered(MeterBlock):
    """What a run used."""

    version: ClassVar[int] = 1
    type: Literal["meters"]


class OutputTruncated(Facts):
    """A run printed more than it may, and the rest was dropped."""

    type: Literal["output.truncated"]
    limit_bytes: int


class RunShowed(Facts):
    """A notebook showed something while it ran; the end of the run says what, in full."""

    type: Literal["run.showed"]
    mime: str
    size: int
    digest: Digest | None = None
    final: bool = False


class PackagesReady(Facts):
    """What was granted of packages is installed for a run, now or earlier."""

    type: Literal["packages.ready"]
    layer: str
    packages: tuple[str, ...]
    size: int
    built: bool


class NetworkAttempted(Facts):
    """A run asked for a host, and was let out or not."""

    type: Literal["network.attempt"]
    host: str
    port: int
    method: str
    allowed: bool
    why: str


class RunKilled(Facts):
    """The engine ended a run, and what it saw that made it do so."""

    type: Literal["run.killed"]
    reason: KillReason
    evidence: tuple[str, ...]


class ArtifactKept(Facts):
    """A file that a run left was kept."""

    type: Literal["artifact"]
    name: str
    size: int
    digest: Digest


class RunEnded(Result):
    """A run is over."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["run.ended"]


# --- the house ------------------------------------------------------------------------------------


class EngineChanged(Facts):
    """The engine started, stopped, or closed what an earlier one left open."""

    type: Literal["engine.started", "engine.stopped", "engine.recovered"]


class SandboxProved(Facts):
    """A sandbox said what kernel it runs on."""

    type: Literal["sandbox.proved"]
    isolated: bool = False
    proof: Proof | None = None


class PolicyLoaded(Facts):
    """Another policy is in force."""

    type: Literal["policy.loaded"]
    policy: str


class PolicyRefused(Facts):
    """A policy file is wrong, and the one before stays in force."""

    type: Literal["policy.refused"]
    faults: tuple[str, ...]


class SettingsChanged(Facts):
    """Settings are others than at the last start."""

    type: Literal["settings.changed"]


class SecretChanged(Facts):
    """A secret was set or removed; its value is nowhere in the history."""

    type: Literal["secret.set", "secret.removed"]
    name: str
    host: str


class PrincipalChanged(Facts):
    """Somebody may act here, or may no more, or tried and was not let in."""

    type: Literal["principal.added", "principal.removed", "login.failed"]


# --- the history itself ---------------------------------------------------------------------------


class Looked(Facts):
    """Somebody read what is not their own."""

    type: Literal["looked"]


class Exported(Facts):
    """Somebody took records out of the house."""

    type: Literal["exported"]
    format: str


class Verified(Verification):
    """The history was read whole."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["verified"]


class CheckpointMade(Facts):
    """The tree over all records before was signed."""

    type: Literal["checkpoint"]
    note: str
    size: int


class WitnessTold(Facts):
    """A witness outside takes no checkpoints, or takes them again."""

    type: Literal["witness.failed", "witness.reached"]
    witness: str
    why: str = ""


class Erased(Facts):
    """Contents were erased by a rule; what refers to them stays."""

    type: Literal["erased"]
    rule: str
    digests: tuple[Digest, ...]
