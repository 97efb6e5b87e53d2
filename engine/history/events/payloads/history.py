"""Payloads of events about the history itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from engine.history.events.payloads.base import EventPayload
from engine.models import Digest, Verification


class HistoryViewedPayload(EventPayload):
    """A principal viewed another principal's submission."""

    type: Literal["history.viewed"]


class HistoryExportedPayload(EventPayload):
    """Records were exported."""

    type: Literal["history.exported"]
    format: str


class HistoryVerifiedPayload(Verification):
    """The history was read whole."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["history.verified"]


class CheckpointSignedPayload(EventPayload):
    """The tree over all records before was signed."""

    type: Literal["history.checkpoint"]
    note: str
    size: int


class WitnessChangedPayload(EventPayload):
    """A witness outside takes no checkpoints, or takes them again."""

    type: Literal["witness.failed", "witness.reached"]
    witness: str
    why: str = ""


class ContentsErasedPayload(EventPayload):
    """Contents were erased by a rule; what refers to them stays."""

    type: Literal["history.erased"]
    rule: str
    digests: tuple[Digest, ...]
