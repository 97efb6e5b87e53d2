"""Incidents: working sets of responders, and notes on submissions."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from engine.common.backports import StrEnum
from engine.common.text import Untrusted
from engine.models.base import FrozenModel

MOST_ENTRIES = 5000
LONGEST = 4000
"""So many characters at most has a note."""
TAG = r"^[a-z0-9][a-z0-9._-]{0,39}$"


class EntryKind(StrEnum):
    """What is in an incident."""

    SUBMISSION = "submission"
    """A submission, by its ID."""
    QUERY = "query"
    """A search; what it found when it was added is added, too."""
    NOTE = "note"


class IncidentEntry(FrozenModel):
    """One thing in an incident: who added it, and when."""

    kind: EntryKind
    value: Untrusted
    by: Untrusted
    at: datetime


class Incident(FrozenModel):
    """A working set of responders: submissions, queries and notes."""

    id: str
    name: Untrusted
    by: Untrusted
    at: datetime
    entries: tuple[IncidentEntry, ...] = ()

    @property
    def submissions(self) -> tuple[str, ...]:
        """The IDs of its submissions, each once, in the order in which they were added."""
        found = (one.value.text for one in self.entries if one.kind is EntryKind.SUBMISSION)
        return tuple(dict.fromkeys(found))


class SealProgress(FrozenModel):
    """How far an incident is that is being sealed: how many of its submissions were read, of how many."""

    done: int = 0
    total: int = 0
    """0 where it is not being sealed."""


class NewIncident(FrozenModel):
    """An incident to open."""

    name: Untrusted


class NewEntry(FrozenModel):
    """Something to add to an incident."""

    kind: EntryKind
    value: Untrusted


class NoteRequest(FrozenModel):
    """A note about a submission."""

    text: Untrusted


class TagRequest(FrozenModel):
    """A tag of a submission."""

    tag: str = Field(pattern=TAG)
