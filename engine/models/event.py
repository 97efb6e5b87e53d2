"""The audit log: its records, and what verifying them found."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel


class Event(FrozenModel):
    """One record of the audit log, chained to the record before by its hash."""

    seq: int = Field(ge=1)
    at: datetime
    type: str
    subject: str
    """The id of what it happened to; empty for the engine itself."""
    actor: Untrusted
    data: dict[str, Any]
    previous: Digest
    hash: Digest


class Verification(FrozenModel):
    """What reading the whole audit log found: intact, or the first record that is not as it was written."""

    events: int
    intact: bool
    checkpoints: int = 0
    """How many signed checkpoints agree with the events."""
    witnessed: int = 0
    """How many checkpoints kept by a witness agree with them too."""
    seq: int | None = None
    problem: str = ""
