"""Payloads of events about the engine, its policy, settings and tokens."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from engine.history.events.payloads.base import EventPayload
from engine.models import IsolationProof
from engine.models.past_decisions import PolicyAdoption


class EngineChangedPayload(EventPayload):
    """The engine started, stopped, or closed what an earlier one left open."""

    type: Literal["engine.started", "engine.stopped", "engine.recovered"]


class HealthChangedPayload(EventPayload):
    """A check of Health fails, or is OK again."""

    type: Literal["health.failed", "health.recovered"]
    check: str
    detail: str
    hint: str = ""


class ChecksRunPayload(EventPayload):
    """The self-test or the doctor ran on the engine's machine: how many of its checks failed, and which."""

    type: Literal["selftest.ended", "doctor.ended"]
    total: int = Field(ge=0)
    failed: tuple[str, ...] = ()


class SandboxProbedPayload(EventPayload):
    """A sandbox reported the kernel that it runs on."""

    type: Literal["sandbox.probed"]
    isolated: bool = False
    proof: IsolationProof | None = None


class PolicyLoadedPayload(EventPayload):
    """Another policy is in force."""

    type: Literal["policy.loaded"]
    policy: str


class PolicyAdoptedPayload(EventPayload):
    """A rule that decisions suggested was put into force, signed by who did."""

    type: Literal["policy.adopted"]
    rule: str
    adoption: PolicyAdoption


class PolicyRefusedPayload(EventPayload):
    """A policy file is wrong, and the one before stays in force."""

    type: Literal["policy.refused"]
    faults: tuple[str, ...]


class SettingsChangedPayload(EventPayload):
    """Settings are others than at the last start."""

    type: Literal["settings.changed"]


class NotificationPayload(EventPayload):
    """A receiver took a notice, or refused it so often that it was given up."""

    type: Literal["notification.delivered", "notification.failed"]
    receiver: str
    notice: str
    attempts: int = Field(ge=1)
    why: str = ""


class SecretChangedPayload(EventPayload):
    """A secret was set or removed; its value is nowhere in the history."""

    type: Literal["secret.set", "secret.removed"]
    name: str
    host: str


class ReviewerChangedPayload(EventPayload):
    """The public key that a reviewer signs with was registered, or is no longer theirs."""

    type: Literal["reviewer.registered", "reviewer.removed"]
    name: str
    key: str = Field(pattern=r"^[0-9a-f]{64}$")


class BlockChangedPayload(EventPayload):
    """A responder blocked something, or removed a block."""

    type: Literal["block.created", "block.removed"]
    block: str


class ResponseChangedPayload(EventPayload):
    """A responder stopped or paused runs and blocked what a query found, or undid that."""

    type: Literal["response.made", "response.undone"]
    response: str


class IncidentChangedPayload(EventPayload):
    """A responder opened an incident, or added to it."""

    type: Literal["incident.opened", "incident.added"]
    incident: str


class IncidentSealedPayload(EventPayload):
    """An incident was exported; `members` are the digests of what the file holds beside its events."""

    type: Literal["incident.sealed"]
    incident: str
    events: int
    members: dict[str, str]


class SharedQueryPayload(EventPayload):
    """A responder shared a query under a name, or shares it no longer."""

    type: Literal["query.shared", "query.removed"]
    name: str


class NoteAddedPayload(EventPayload):
    """A responder added a note to a submission."""

    type: Literal["note.added"]
    text: str


class TagChangedPayload(EventPayload):
    """A responder tagged a submission, or removed a tag."""

    type: Literal["tag.added", "tag.removed"]
    tag: str


class PrincipalChangedPayload(EventPayload):
    """A token was created or revoked, or authentication failed."""

    type: Literal["principal.added", "principal.removed", "authentication.failed"]
