"""What events say of the history itself."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import ConfigDict

from engine.history.events.payloads.base import Facts
from engine.models import Digest, Verification


class Looked(Facts):
    """Somebody read what is not their own."""

    type: Literal["history.viewed"]


class Exported(Facts):
    """Somebody took records out of the house."""

    type: Literal["history.exported"]
    format: str


class Verified(Verification):
    """The history was read whole."""

    model_config = ConfigDict(frozen=True, extra="allow")
    version: ClassVar[int] = 1
    type: Literal["history.verified"]


class CheckpointMade(Facts):
    """The tree over all records before was signed."""

    type: Literal["history.checkpoint"]
    note: str
    size: int


class WitnessTold(Facts):
    """A witness outside takes no checkpoints, or takes them again."""

    type: Literal["witness.failed", "witness.reached"]
    witness: str
    why: str = ""


class Erased(Facts):
    """Contents were erased by a rule; what refers to them stays."""

    type: Literal["history.erased"]
    rule: str
    digests: tuple[Digest, ...]
