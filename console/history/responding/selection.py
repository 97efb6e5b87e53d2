"""What a responder acts on: the marked submissions, the search, or the one under the cursor."""

from __future__ import annotations

from dataclasses import dataclass

from engine.common.text import Untrusted, many
from engine.models import Summary
from engine.models.incident import EntryKind, NewEntry

LONGEST_QUERY = 1000
"""So many characters at most may a query have that the engine responds to."""


@dataclass(frozen=True)
class Selection:
    """Submissions by their IDs, and the query that finds them."""

    ids: tuple[str, ...]
    query: str
    words: str
    """What it is, for people."""

    @property
    def entries(self) -> tuple[NewEntry, ...]:
        """What is added to an incident: the submissions, or the query with what it finds."""
        if self.ids:
            return tuple(NewEntry(kind=EntryKind.SUBMISSION, value=Untrusted(id)) for id in self.ids)
        return (NewEntry(kind=EntryKind.QUERY, value=Untrusted(self.query)),)

    @property
    def is_too_long(self) -> bool:
        """Whether its query is longer than the engine takes."""
        return len(self.query) > LONGEST_QUERY


def of_submissions(ids: tuple[str, ...]) -> Selection:
    """Return the selection of these submissions."""
    words = ids[0] if len(ids) == 1 else many(len(ids), "marked submission")
    return Selection(ids, f"id:{','.join(ids)}", words)


def of_query(query: str) -> Selection:
    """Return the selection of all that a query finds."""
    return Selection((), query, f"all that match {query}")


def selected(marked: tuple[str, ...], query: str, under_cursor: Summary | None) -> Selection | None:
    """Return the marked submissions, else the search, else the one under the cursor; None without any."""
    if marked:
        return of_submissions(marked)
    if query:
        return of_query(query)
    return of_submissions((under_cursor.id,)) if under_cursor else None
