"""A session: a sandbox that keeps its state between executions, for one principal."""

from __future__ import annotations

from datetime import datetime

from engine.common.backports import StrEnum
from engine.models.base import FrozenModel, Language, Principal


class SessionState(StrEnum):
    """The state of a session. `created`: nothing has run in it yet; `ready`: it keeps what ran before."""

    CREATED = "created"
    READY = "ready"
    RUNNING = "running"
    PAUSED = "paused"
    CLOSED = "closed"


class Session(FrozenModel):
    """A sandbox that keeps its state between executions; visible to its owner only."""

    id: str
    owner: Principal
    language: Language
    image: str
    """The name of its image."""
    state: SessionState
    created_at: datetime
    used_at: datetime
    """When it was last used."""
    idle_seconds: float
    """Closed after this long without an execution."""
    life_seconds: float
    """Closed after this long in any case."""
    executions: tuple[str, ...] = ()
    """The submissions that ran in it, the oldest first."""
    close_reason: str = ""
    """Why it was closed; empty while it is open."""

    def with_state(self, state: SessionState, used_at: datetime | None = None) -> Session:
        """Return the session in another state, used at that time where one is given."""
        return self._with(state=state, used_at=used_at or self.used_at)

    def with_execution(self, run: str, kept: int) -> Session:
        """Return the session with another execution; the latest `kept` are remembered."""
        return self._with(executions=(*self.executions, run)[-kept:])

    def closed(self, why: str) -> Session:
        """Return the session closed."""
        return self._with(state=SessionState.CLOSED, close_reason=why)
