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


class HistoryUpgradedPayload(EventPayload):
    """The history now has a format that signs its end; no signature covered what is after `checked`."""

    type: Literal["history.upgraded"]
    records: int
    checked: int


class HistoryContradictedPayload(EventPayload):
    """When the history was opened, its end was not the one that was signed, or that the witness knew."""

    type: Literal["history.contradicted"]
    problem: str
    note: str


class HistoryReplacedPayload(EventPayload):
    """This history began where the witness knew another one, of another key."""

    type: Literal["history.replaced"]
    records: int
    key: str
    at: str
    note: str


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
