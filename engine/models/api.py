"""What travels between a client and the engine beside the nouns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from engine.common.text import Untrusted
from engine.models import (
    DecisionOutcome,
    Digest,
    Draft,
    ExpectedOutput,
    FrozenModel,
    Grant,
    InputFile,
    Language,
    Level,
    MatchMode,
    Package,
    Permissions,
    ReviewRecord,
    Scope,
    Signature,
    Status,
    Stream,
)

LEASE = r"^[A-Za-z0-9_-]{16,64}$"
"""A name that a client picks by chance."""


class Handed(FrozenModel):
    """A draft, and the name that its agent gives itself; empty: whoever owns the socket."""

    draft: Draft
    requester: Untrusted = Untrusted("")
    join: bool = False
    """Whether the same draft that waits or runs already answers in place of a new submission."""
    lease: str = Field("", pattern=LEASE + "|^$")
    """The name under which the client stays connected for as long as it wants the submission."""


class Witnessed(FrozenModel):
    """Signed checkpoints that somebody outside has kept."""

    notes: tuple[Annotated[str, Field(max_length=1000)], ...] = Field(min_length=1)


class Withdrawn(FrozenModel):
    """Who wants a submission no more; empty: whoever owns the socket."""

    requester: Untrusted = Untrusted("")


class LeaseStatus(FrozenModel):
    """What a client reads that stays connected: that it counts as there."""

    lease: str


class Decided(FrozenModel):
    """A verdict about what was shown."""

    outcome: DecisionOutcome
    digest: Digest
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None
    review_record: ReviewRecord | None = None
    signature: Signature | None = None
    """Over all of it, where the token asks for that (`engine/principals/signed_decision.py`)."""


class Beforehand(FrozenModel):
    """What a pre-approval is given for, beside the submission that it is given for."""

    match_mode: MatchMode
    ceiling: Level = Level.HIGH
    uses: int = Field(ge=1)
    days: float = Field(gt=0)


class Wanted(FrozenModel):
    """The token that is wanted."""

    name: Untrusted
    scopes: tuple[Scope, ...] = Field(min_length=1)
    days: float = Field(30, gt=0, le=3660)
    key: str = Field("", pattern=r"^[0-9a-f]{64}$|^$")


class Snippet(FrozenModel):
    """Code to analyse without submitting it."""

    code: Untrusted
    language: Language


class Opening(FrozenModel):
    """The sandbox that is wanted."""

    language: Language = Language.PYTHON
    image: str = Field("", pattern=r"^[a-z][a-z0-9-]{0,31}$|^$")


class Code(FrozenModel):
    """Code to run in a sandbox, and what it asks for."""

    code: Untrusted
    purpose: Untrusted = Untrusted("")
    files: tuple[InputFile, ...] = ()
    permissions: Permissions = Permissions()
    expect: ExpectedOutput = ExpectedOutput.ANYTHING
    verify: str = Field("", max_length=200)


class Packages(FrozenModel):
    """Packages to install in a sandbox."""

    packages: tuple[Package, ...] = Field(min_length=1, max_length=64)
    builds: tuple[Untrusted, ...] = ()
    """Those that may run code of their own meanwhile, by name."""


class Asked(FrozenModel):
    """A call in a sandbox that waits for a person."""

    id: str
    digest: Digest
    status: Status
    risk: Level
    deadline: datetime | None
    ask: str
    """The path whose answer is the call's, once there is one."""


class Line(FrozenModel):
    """A line of what an execution says: one of `text`, `image`, `error` and `status`, and more about it."""

    text: str | None = None
    stream: Stream | None = None
    image: str | None = None
    """A picture, in base64."""
    mime: str | None = None
    error: str | None = None
    status: str | None = None
    id: str | None = None
    exit_code: int | None = None
    seconds: float | None = None


class Answer(FrozenModel):
    """A problem as it travels (RFC 9457): `title` says what happened, `hint` what to type next."""

    type: str = "about:blank"
    status: int
    title: str
    detail: str = ""
    hint: str = ""


class Taken(FrozenModel):
    """Records that leave the house: what was asked for, how it is written, and how much it is."""

    what: Untrusted = Untrusted("")
    format: str = Field(pattern=r"^[a-z0-9-]{1,20}$")
    submissions: int = Field(ge=0, le=1_000_000_000)
