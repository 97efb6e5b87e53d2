"""What is decided."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import Digest, FrozenModel, Level, Principal
from engine.models.comments import MOST_COMMENTS, LineComment
from engine.models.submission import Grant


class RuleMatch(FrozenModel):
    """A policy rule that matched, and the construct or the request that made it match."""

    rule: str
    level: Level
    reason: Untrusted
    refuses: bool = False
    """True where the rule leaves nobody anything to decide."""


class Assessment(FrozenModel):
    """The risk of a submission, the rules that made it so, and how long a person has to decide."""

    risk: Level
    matches: tuple[RuleMatch, ...]
    deadline_seconds: float | None
    """None: approved at once, and recorded."""

    def raised(self, matches: tuple[RuleMatch, ...]) -> Assessment:
        """Return the assessment with graver matches, which come first."""
        risk = max((self.risk, *(match.level for match in matches)), key=lambda level: level.rank)
        return self._with(risk=risk, matches=(*matches, *self.matches))


class DecisionOutcome(StrEnum):
    """How a decision ends. `expired` is nobody's no; `refused` is the policy's.

    With `changes_requested` the submission is over, and the agent is asked for a revision of it.
    """

    APPROVED = "approved"
    DENIED = "denied"
    CHANGES_REQUESTED = "changes_requested"
    EXPIRED = "expired"
    REFUSED = "refused"


WITHDRAWN = "withdrawn by its requester"
"""The reason of a denial that is the requester's own."""


class TriageOutcome(StrEnum):
    """What a reviewer makes of a violation."""

    ACCEPTED = "accepted"
    MITIGATED = "mitigated"
    FALSE_POSITIVE = "false-positive"


class Triage(FrozenModel):
    """A violation, by its place in the analysis (counted from 0), and what the reviewer made of it."""

    violation: int = Field(ge=0)
    outcome: TriageOutcome


def _nothing(value: object) -> bool:
    """Leave out what older records do not have, so that what was signed then still verifies."""
    return not value


class ShownBy(StrEnum):
    """What displayed a submission to its reviewer."""

    CONSOLE = "console"
    TERMINAL = "terminal"
    AUTHOR = "author"
    """The editor of the console, in which the reviewer wrote it; only where nobody else has to review it."""
    STATED = "stated"
    """Nothing of Pratique's: the reviewer states that they reviewed all that the record lists."""


class ReviewRecord(FrozenModel):
    """What a reviewer had on screen before deciding, and for how long."""

    seconds: float = Field(ge=0)
    lines: tuple[tuple[int, int], ...] = ()
    """Stretches of lines that were on screen: first and last, counted from 1."""
    violations: tuple[int, ...] = ()
    """Violations that were on screen, by their place in the analysis, counted from 0."""
    triage: tuple[Triage, ...] = ()
    files: tuple[int, ...] = Field((), exclude_if=_nothing)
    """Input files that were on screen, by their place in the draft, counted from 0."""
    profiles: tuple[int, ...] = Field((), exclude_if=_nothing)
    """Input files of which a profile was on screen instead of every byte, by their place in the draft."""
    times: tuple[tuple[int, int, float], ...] = Field((), max_length=200, exclude_if=_nothing)
    """First and last line of a stretch, and for how many seconds each of its lines was on screen at least."""
    purpose: bool = Field(False, exclude_if=_nothing)
    """Whether what the agent says it is for was on screen."""
    carried_from: str = Field("", exclude_if=_nothing)
    """The revised submission of which the same reviewer had unchanged parts on screen before."""
    equivalent_to: str = Field("", max_length=50, exclude_if=_nothing)
    """The submission that was on screen instead, whose code differs in nothing that a run could show."""
    shown_by: ShownBy | None = Field(None, exclude_if=_nothing)
    """What displayed it; None in older records only."""

    def of_equivalent(self, id: str) -> ReviewRecord:
        """Return the record for a submission that is equivalent to the one on screen, which is `id`."""
        return self._with(equivalent_to=id)


class Signature(FrozenModel):
    """An Ed25519 signature over a decision's canonical bytes, and the public key that verifies it."""

    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    value: str = Field(pattern=r"^[0-9a-f]{128}$")


class Assignment(FrozenModel):
    """A submission is meant for one reviewer; others may decide about it as well."""

    to: Untrusted
    """The reviewer's name; the engine does not check that there is one of it."""
    by: Untrusted
    at: datetime


class Claim(FrozenModel):
    """A reviewer works on a submission; the claim lapses."""

    by: Untrusted
    until: datetime
    id: str = Field("", exclude_if=_nothing)
    """The identity of the reviewer."""
    clock: float | None = Field(None, ge=0, exclude_if=_nothing)
    """The seconds that were left to decide: they do not pass while the claim holds."""

    def with_clock(self, seconds: float) -> Claim:
        """Return the claim, which stops the clock at so many seconds."""
        return self._with(clock=seconds)

    def is_of(self, reviewer: Principal) -> bool:
        """Return whether a reviewer holds it."""
        return self.by == reviewer.name and self.id == reviewer.id


DECISION_CONTEXT = b"pratique decision v1\n"
"""The prefix of what is signed of a decision, so that no signature for another purpose is valid here."""
PRE_APPROVAL_CONTEXT = b"pratique pre-approval v1\n"
"""The prefix of what is signed of a pre-approval."""


class Decision(FrozenModel):
    """Who approved or denied a submission, and what exactly was granted."""

    submission: str
    digest: Digest
    outcome: DecisionOutcome
    by: Principal
    at: datetime
    reason: Untrusted = Untrusted("")
    grant: Grant | None = None
    image: str = ""
    """The digest of the image that the grant is for."""
    policy: str = ""
    """The hash of the policy in force."""
    analysis: str = ""
    """The hash of the analysis that was decided upon."""
    review_record: ReviewRecord | None = None
    pre_approval: str = ""
    """The id of the pre-approval that approved it."""
    comments: tuple[LineComment, ...] = Field((), max_length=MOST_COMMENTS, exclude_if=_nothing)
    """What is to be changed, line by line; `reason` is the general comment."""
    signature: Signature | None = None

    def signed(self, signature: Signature) -> Decision:
        """Return the decision with its signature."""
        return self._with(signature=signature)


class MatchMode(StrEnum):
    """What must match for a pre-approval to apply."""

    EXACT = "exact"
    STRUCTURE = "structure"


class ReviewerKey(FrozenModel):
    """A public key that is, or was, registered for a reviewer's signatures."""

    name: Untrusted
    key: str = Field(pattern=r"^[0-9a-f]{64}$")
    registered_at: datetime
    removed_at: datetime | None = None
    """When it was revoked or replaced: it signs nothing after that."""


class PreApproval(FrozenModel):
    """An approval given in advance for matching submissions of one requester."""

    id: str
    match_mode: MatchMode
    value: Digest
    """The digest, or the hash of the shape."""
    requester: Untrusted
    principal: str = Field("", exclude_if=_nothing)
    """The id of the requester: nobody else who has its name, or claims it, is approved."""
    ceiling: Level
    """The highest risk that it approves."""
    uses: int = Field(ge=1)
    """How many submissions it approves in all."""
    until: datetime
    grant: Grant
    basis: str
    """The submission that it was given for."""
    by: Principal
    at: datetime
    signature: Signature | None = None
    """Over all of it but `used` and `revoked`, with the key of who gave it."""
    used: int = 0
    revoked: bool = False

    def signed(self, signature: Signature) -> PreApproval:
        """Return the pre-approval with its signature."""
        return self._with(signature=signature)

    def with_uses(self, used: int) -> PreApproval:
        """Return the pre-approval with this many of its uses taken."""
        return self._with(used=used)

    def as_revoked(self) -> PreApproval:
        """Return the pre-approval revoked."""
        return self._with(revoked=True)
