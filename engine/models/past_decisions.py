"""What past decisions show: rules that they suggest, approvals that look careless, answers to drills."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel, Language, Principal
from engine.models.decision import Signature

ADOPTION_CONTEXT = b"pratique adoption v1\n"
"""The prefix of what is signed of an adoption, so that no signature for another purpose is valid here."""


class PolicySuggestion(FrozenModel):
    """A rule that would approve in advance what people approved every time."""

    id: str
    """The id of the rule: the same decisions suggest the same id."""
    words: Untrusted
    """What it would do, in one sentence; it names the agent."""
    requester: str
    language: Language
    approved: int
    """How many submissions like these people approved: all of them."""
    changed: tuple[str, ...]
    """The past submissions that would have been approved at once, the oldest first, 50 at most."""
    changes: int
    """How many they are in all."""
    yaml: str
    """The rule as a policy file."""


class PolicyAdoption(FrozenModel):
    """A suggested rule that was put into force, with the key of who did."""

    rule: str
    yaml: str
    by: Principal
    at: datetime
    signature: Signature | None = None

    def signed(self, signature: Signature) -> PolicyAdoption:
        """Return the adoption with its signature."""
        return self._with(signature=signature)


class CarelessSign(StrEnum):
    """Why an approval looks careless. None of them proves that it was."""

    HASTY = "approved within two seconds of its display"
    SURPRISE = "its run did what was not predicted or not granted"
    KILLED = "its run was killed"


class CarelessApproval(FrozenModel):
    """An approval that looks careless."""

    id: str
    reviewer: Untrusted
    at: datetime
    seconds: float
    """How long it was displayed before, as the review record says."""
    signs: tuple[CarelessSign, ...]


class CarelessReport(FrozenModel):
    """The approvals of a period that look careless: a reviewer's own, or everybody's."""

    approvals: int
    """How many approvals by people were looked at."""
    careless: tuple[CarelessApproval, ...]
    """The latest first."""


class DrillOutcome(StrEnum):
    """What a reviewer did about a drill."""

    CAUGHT = "caught"
    """Denied it, or requested changes."""
    MISSED = "missed"
    """Approved it."""
    REHEARSED = "rehearsed"
    """Wanted to rehearse it first, which ends it: neither caught nor missed."""


class DrillAnswer(FrozenModel):
    """A drill that a reviewer answered."""

    submission: str
    at: datetime
    drill: str
    """The name of the sample that it was made of."""
    what: str
    """What was bad about it, and where."""
    outcome: DrillOutcome
    nonce: str = Field(pattern=r"^[0-9a-f]{32}$")
    """With it the digest of the answer in the history can be recomputed."""


class DrillScore(FrozenModel):
    """How one reviewer answered drills. It is told to nobody else."""

    caught: int = 0
    missed: int = 0
    rehearsed: int = 0
    answers: tuple[DrillAnswer, ...] = ()
    """The latest first, 50 at most."""
