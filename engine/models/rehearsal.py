"""What a rehearsal found: whom the code contacted, which decoys left, and what it destroyed."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel
from engine.models.observed import Observation, ObservedEffect
from engine.models.run import KillReason

REHEARSAL_RULE = "rehearsal"
"""The rule of a violation that a rehearsal proves, and of the reason for the level."""
MOST_SECONDS = 60.0
"""How long the code of a rehearsal may run: its reader waits."""
MOST_SHORTENED_SECONDS = 600.0
"""By how much all its sleeps are shortened together; what goes beyond is waited for."""


class Contact(FrozenModel):
    """One connection, request or datagram of a rehearsal, which the engine answered in the host's place."""

    number: int
    at: float
    """Seconds after the code went in."""
    host: Untrusted
    """The name that was looked up, or the address."""
    port: int
    protocol: str
    """`dns`, `http`, `https`, `smtp`, `ftp`, `tcp`, `tls` or `udp`."""
    method: Untrusted = Untrusted("")
    path: Untrusted = Untrusted("")
    sent: int = 0
    """Bytes that came from the code."""
    excerpt: Untrusted = Untrusted("")
    """The beginning of them."""


class FindingKind(StrEnum):
    """What a rehearsal can prove."""

    LEAK = "a decoy left"
    DESTROYED = "a decoy was destroyed"
    CONTROLLED = "it ran what a host sent"
    USED = "a credential was used at its own host"
    """A fact, not a proof of harm."""


class RehearsalFinding(FrozenModel):
    """One thing that the code did with what was laid out for it."""

    kind: FindingKind
    subject: str
    """What it was: `AWS key`, `~/.ssh/id_rsa`."""
    where: Untrusted = Untrusted("")
    """Where it went: `POST to collect.example`."""
    how: str = ""
    """The encodings that it was found in, the outermost first."""
    contact: int = 0
    """The number of the contact that carried it; 0: none."""

    @property
    def convicts(self) -> bool:
        """Whether it proves harm."""
        return self.kind is not FindingKind.USED


class Rehearsal(FrozenModel):
    """A run that a reviewer started before deciding. It never counts as the run."""

    submission: str
    by: Untrusted
    at: datetime
    seconds: float = 0.0
    """How long the code ran."""
    image: str = ""
    withheld: bool = False
    """Whether it had no input files."""
    shortened_seconds: float = 0.0
    """By how much its sleeps were shortened at most; 0: all of them were waited for."""
    findings: tuple[RehearsalFinding, ...] = ()
    contacts: tuple[Contact, ...] = ()
    omitted: int = 0
    """How many contacts there were beyond those that are kept."""
    effects: tuple[ObservedEffect, ...] = ()
    """What the kernel of the sandbox reported, without what every program does; bounded."""
    observation: Observation | None = None
    changed: tuple[Untrusted, ...] = ()
    """Files that it wrote, beside decoys; bounded."""
    output: Untrusted = Untrusted("")
    """The beginning of what it printed."""
    exit_code: int | None = None
    kill_reason: KillReason = KillReason.NONE
    notes: tuple[str, ...] = Field(default=(), max_length=20)

    def with_note(self, note: str) -> Rehearsal:
        """Return the rehearsal with a further note."""
        return self._with(notes=(*self.notes, note[:300]))

    def ended(self, **found: object) -> Rehearsal:
        """Return the rehearsal with what was found."""
        return self._with(**found)

    @property
    def ran(self) -> bool:
        """Whether the code ran to its end; otherwise the last note says why there is no result."""
        return self.seconds > 0

    @property
    def convicted(self) -> bool:
        """Whether the code was seen to do harm. That it was not is no proof of the contrary."""
        return any(one.convicts for one in self.findings)
