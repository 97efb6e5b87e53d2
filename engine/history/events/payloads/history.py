"""Payloads of events about the history itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

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
    """Contents were erased by a rule or on request, and texts of records; what refers to them stays."""

    type: Literal["history.erased"]
    rule: str
    digests: tuple[Digest, ...]
    records: dict[str, Digest] = Field(default_factory=dict)
    """The numbers of the records whose texts were erased, each with the SHA-256 of what is left of it."""
    reason: str = ""
    scope: str = ""
    """Of one submission: `everything`, or the `words` of a person."""
    categories: dict[str, int] = Field(default_factory=dict)
    """How much was erased of each kind."""


class HistoryCompactedPayload(EventPayload):
    """What was erased up to the record `erased` is in no page, index or log of the database any more."""

    type: Literal["history.compacted"]
    erased: int
    rewritten: bool = True
    """Whether every page was written anew; otherwise what was erased was written over in its place."""


class HoldChangedPayload(EventPayload):
    """A legal hold was placed or released: nothing that its query finds is erased meanwhile."""

    type: Literal["hold.placed", "hold.released"]
    hold: str
