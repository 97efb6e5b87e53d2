"""What a run did, as the kernel of its sandbox reported it."""

from __future__ import annotations

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Level


class ObservedKind(StrEnum):
    """The kinds of observed effects."""

    PROCESS = "process"
    THREAD = "thread"
    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    RENAME = "rename"
    LINK = "link"
    FOLDER = "folder"
    ATTRIBUTES = "attributes"
    CONNECT = "connect"
    SEND = "send"
    LISTEN = "listen"
    SIGNAL = "signal"
    TRACE = "trace"
    MOUNT = "mount"
    PRIVILEGE = "privilege"
    MEMORY = "memory"
    """Code that is executed from memory instead of a file."""
    KERNEL = "kernel"
    """A call of the kernel that ordinary programs never make."""


class Basis(StrEnum):
    """How the target of an observed effect is known."""

    KERNEL = "kernel"
    """The kernel named it: the guest cannot forge it."""
    ASKED = "asked"
    """It is what the guest passed; another thread could have changed it before it was read again."""
    COUNTED = "counted"
    """The call was seen, but not its target."""
    LISTING = "listing"
    """It follows from the files before and after the run."""


DENIALS = frozenset({"EACCES", "EPERM", "EROFS"})
"""Errors by which the kernel denies what exists."""


class ObservedEffect(FrozenModel):
    """One effect, however often it was repeated."""

    number: int
    """Names it within its run: a later record of the same number replaces an earlier one."""
    kind: ObservedKind
    target: Untrusted
    """A path, an address, a command; empty where the kernel does not tell it."""
    process: Untrusted = Untrusted("")
    """The program that did it first."""
    pid: int = 0
    """The number of its process inside the sandbox."""
    basis: Basis = Basis.KERNEL
    detail: Untrusted = Untrusted("")
    """Arguments, flags, a signal."""
    first: float = 0.0
    """Seconds after the code went in."""
    last: float = 0.0
    count: int = 1
    refused: int = 0
    """How many of them failed."""
    error: str = ""
    """The first error by which it was denied, as `EACCES`; otherwise the last one."""
    exit: int | None = None
    """Of a process: its last exit code, 128 and more for a signal."""
    routine: bool = False
    """Whether programs do it without their authors asking: start-up reads, look-ups of names."""

    def at(self, start: float) -> ObservedEffect:
        """Return the effect with times that count from `start` instead of 1970."""
        return self._with(first=max(0.0, self.first - start), last=max(0.0, self.last - start))


class ObservationStatus(StrEnum):
    """Whether the observed effects of a run are all that there were."""

    COMPLETE = "complete"
    INCOMPLETE = "incomplete"
    NONE = "not observed"


class Observation(FrozenModel):
    """What is known about a run's effects as a whole."""

    status: ObservationStatus
    reasons: tuple[str, ...] = ()
    """Why it is not complete."""
    events: int = 0
    """How many events of the run arrived."""
    dropped: int = 0
    """How many its sandbox could not deliver."""
    unreadable: int = 0
    """How many events were withheld because a name in them is not UTF-8."""
    omitted: int = 0
    """How many repetitions belong to effects beyond the number that is kept."""
    counts: dict[str, int] = Field(default_factory=dict)
    """How many effects there were of each kind, repetitions included."""


class NetworkUse(FrozenModel):
    """A host that the proxy was asked for."""

    host: Untrusted
    port: int
    allowed: bool
    secrets: tuple[Untrusted, ...] | None = ()
    """The secrets that went with it; None: it is so old that they were not recorded."""


class Relation(StrEnum):
    """How an effect that was predicted, granted or observed relates to the two others."""

    PREDICTED = "predicted and observed"
    NOT_OBSERVED = "predicted, not observed"
    USED = "granted and used"
    UNUSED = "granted, not used"
    USE_UNKNOWN = "granted, use not known"
    TARGET_UNKNOWN = "observed, target not known"
    """It may have been predicted: the kernel tells that it was done, but not to what."""
    UNPREDICTED = "observed, not predicted"
    BEYOND = "observed beyond the grant"


class EffectMatch(FrozenModel):
    """One row of the comparison of what was predicted, granted and observed."""

    relation: Relation
    kind: str
    """A kind of observed or predicted effect, or of permission."""
    value: Untrusted
    number: int = 0
    """The observed effect, where there is one."""
    lines: tuple[int, ...] = ()
    """The lines that were predicted to cause it."""
    severity: Level | None = None
    """How grave it is, where it was not predicted or not granted."""
    reason: str = ""

    @property
    def surprising(self) -> bool:
        """Whether it is a surprise: more than LOW, and not predicted or not granted."""
        return self.severity is not None and self.severity.rank > Level.LOW.rank


class SurpriseAction(StrEnum):
    """What happens to a run at a surprise."""

    RECORD = "record"
    FREEZE = "freeze"
    KILL = "kill"


class SurpriseReport(StrEnum):
    """What an agent is told of the surprises of its run."""

    NONE = "none"
    KINDS = "kinds"
    """Which kinds of effects they were, and how many."""
    ALL = "all"


class RunEffects(FrozenModel):
    """What a run did, beside what was predicted and granted."""

    observation: Observation | None = None
    """None while it runs, and for runs that are older than observed effects."""
    effects: tuple[ObservedEffect, ...] = ()
    matches: tuple[EffectMatch, ...] = ()
