"""A sandbox that stays between executions, for one principal."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from engine.models.base import FrozenModel, Language, Principal


class SandboxState(StrEnum):
    """Where a sandbox stands. `created`: nothing has run in it yet; `ready`: it keeps what ran before."""

    CREATED = "created"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    GONE = "gone"


class Sandbox(FrozenModel):
    """A sandbox that stays. It belongs to one principal, and no other can name it."""

    id: str
    owner: Principal
    language: Language
    image: str
    """The name of its image."""
    state: SandboxState
    created_at: datetime
    used_at: datetime
    """When it last did something."""
    idle_seconds: float
    """After how long without an execution it goes."""
    life_seconds: float
    """After how long it goes in any case."""
    executions: tuple[str, ...] = ()
    """The submissions that ran in it, the oldest first."""
    why: str = ""
    """Why it is gone, where it is."""
