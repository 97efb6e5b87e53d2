"""What somebody may search for who sees their own submissions only. Pure."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.common.errors import Problem
from engine.history.search.query.fields import FIELDS
from engine.history.search.query.parser import parse
from engine.history.search.query.tree import named_fields

_OF_REVIEWERS = ("observed.", "observation", "surprise", "note", "tag", "rescan")
"""The beginnings of facts that only reviewers read: what was observed, and what responders wrote."""


def require_open_fields(filter: str, sort: str) -> None:
    """Check that a query asks for nothing that only reviewers read: its results would tell it.

    Raises:
        Problem: it does (403).
        QueryError: it cannot be understood.
    """
    asked = named_fields(parse(filter, datetime.now(UTC))) | {sort.removeprefix("-")}
    closed = sorted(name for name in asked if name in FIELDS and _is_closed(name))
    if closed:
        raise Problem(
            403,
            f"only reviewers search by {', '.join(closed)}",
            hint="Leave it out; `requested.host` and its like are open.",
        )


def _is_closed(name: str) -> bool:
    return any(fact.startswith(_OF_REVIEWERS) for fact in FIELDS[name].facts)
