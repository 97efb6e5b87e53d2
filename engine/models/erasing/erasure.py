"""Erasing on request, and legal holds."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field, model_validator
from typing_extensions import Self

from engine.common.text import Untrusted
from engine.models.base import FrozenModel

MOST_HOLDS = 200
LONGEST_REASON = 500


class ErasureOrder(FrozenModel):
    """What to erase of one case: all of its texts, or what one person said about it."""

    rule: str
    """Shown wherever something erased is asked for: by what it was erased."""
    reason: Untrusted = Untrusted("")
    author: Untrusted = Untrusted("")
    """Whose words alone are erased; empty: everything."""

    @property
    def whole(self) -> bool:
        """Whether everything is erased, whoever said it."""
        return not self.author


class Erased(FrozenModel):
    """What an erasure erased of one case, or would erase."""

    categories: dict[str, int] = Field(default_factory=dict)
    """How many contents (`code`, `file`, `output`, `artifact`) and records, by their type."""
    case_changes: bool = False

    def __bool__(self) -> bool:
        """Whether there is anything to erase."""
        return bool(self.categories) or self.case_changes


class ErasureRequest(FrozenModel):
    """An erasure: of one submission, of what a query finds, or of what a person submitted and said."""

    submission: str = ""
    query: str = Field("", max_length=1000)
    person: Untrusted = Untrusted("")
    reason: Untrusted
    dry_run: bool = False
    """Whether to say what would be erased, and erase nothing."""

    def for_real(self) -> ErasureRequest:
        """Return the request that erases."""
        return self._with(dry_run=False)

    @model_validator(mode="after")
    def _has_one_target(self) -> Self:
        if sum(map(bool, (self.submission, self.query, self.person.text))) != 1:
            raise ValueError("name one submission, one query or one person")
        if not 0 < len(self.reason.text.strip()) <= LONGEST_REASON:
            raise ValueError(f"a reason has 1 to {LONGEST_REASON} characters")
        return self


class ErasureReport(FrozenModel):
    """What an erasure erased, or would erase."""

    dry_run: bool
    submissions: int
    """Of how many submissions something is erased."""
    categories: dict[str, int]
    """How many contents and records of each kind."""
    held: tuple[str, ...] = ()
    """Submissions that a legal hold keeps (the first 100)."""
    unfinished: tuple[str, ...] = ()
    """Submissions that are not over (the first 100)."""
    more: int = 0
    """How many submissions match that were left for another erasure."""


class RecordedErasure(FrozenModel):
    """An erasure that was done, as the history has it: of one submission, or of contents by retention."""

    seq: int
    """The number of its event."""
    at: datetime
    by: Untrusted
    submission: Untrusted = Untrusted("")
    rule: Untrusted
    reason: Untrusted = Untrusted("")
    scope: str = ""
    """Of a submission: `everything`, or the `words` of a person."""
    contents: int
    """How many contents were erased: code, files, output, artifacts."""
    records: int
    """How many records lost their texts."""


class NewHold(FrozenModel):
    """A legal hold to place: nothing that the query finds is erased until the hold is released."""

    query: str = Field(min_length=1, max_length=1000)
    reason: Untrusted


class PersonRequest(FrozenModel):
    """Whose data is wanted: the name under which they submitted and decided."""

    person: Untrusted


class Hold(FrozenModel):
    """A legal hold: nothing that its query finds is erased."""

    id: str
    query: Untrusted
    reason: Untrusted
    by: Untrusted
    at: datetime
