"""What responders do about an incident: blocks, and what one response did."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel
from engine.models.history import Total

MOST_RUNS = 1000
MOST_BLOCKS = 200
MOST_HOURS = 24 * 90


class BlockKind(StrEnum):
    """What a block forbids."""

    AGENT = "agent"
    """Whatever a requester of this name submits."""
    TOKEN = "token"  # noqa: S105  a kind
    """A token, by its ID: nothing authenticates with it."""
    HOST = "host"
    """A request for this host, or for a pattern that has it; `*.` with a name is every host below it."""
    SECRET = "secret"  # noqa: S105  a kind
    """A request for this secret."""
    CODE = "code"
    """Code of this fingerprint."""
    PRE_APPROVAL = "pre_approval"
    """Approvals by this pre-approval."""


class BlockTarget(FrozenModel):
    """What is to be blocked."""

    kind: BlockKind
    value: Untrusted


class Block(FrozenModel):
    """Something that is forbidden until a time: submissions that fall under it are refused."""

    id: str
    kind: BlockKind
    value: Untrusted
    reason: Untrusted = Untrusted("")
    by: Untrusted
    at: datetime
    until: datetime
    response: str = ""
    """The response that it is part of; empty: it was created by itself."""


class ResponsePlan(FrozenModel):
    """What a query leads to, for a responder to choose from. Nothing is done yet."""

    query: str
    total: Total
    running: tuple[str, ...]
    """Runs that go on now."""
    waiting: tuple[str, ...]
    """Submissions that wait for a decision or for a sandbox."""
    targets: tuple[BlockTarget, ...]
    """What could be blocked: whatever the submissions have, those that most of them have first."""
    complete: bool
    """Whether all submissions that match were looked at; otherwise the newest ones."""


class ResponseRequest(FrozenModel):
    """What to do about what a query finds."""

    query: str = Field("", max_length=1000)
    stop: tuple[str, ...] = Field((), max_length=MOST_RUNS)
    """Runs to stop. That cannot be undone."""
    pause: tuple[str, ...] = Field((), max_length=MOST_RUNS)
    """Runs to pause: undoing the response resumes them."""
    block: tuple[BlockTarget, ...] = Field((), max_length=MOST_BLOCKS)
    hours: float = Field(24, gt=0, le=MOST_HOURS)
    """How long the blocks last."""
    reason: Untrusted = Untrusted("")


class Response(FrozenModel):
    """What a response did: the runs that it stopped and paused, the blocks, and what could not be done."""

    id: str
    by: Untrusted
    at: datetime
    request: ResponseRequest
    undone: bool = False
    problems: tuple[str, ...] = ()
    """Only in the answer to the request itself."""

    def with_problems(self, problems: Iterable[str]) -> Response:
        """Return the response with what could not be done."""
        return self._with(problems=tuple(problems))

    def as_undone(self) -> Response:
        """Return the response after it was undone."""
        return self._with(undone=True)
