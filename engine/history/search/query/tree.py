"""A query as a tree: matches of fields, joined by and, or, not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exact:
    """The value is this text."""

    text: str


@dataclass(frozen=True, slots=True)
class Wild:
    """The value has these parts in order, with anything between them: `a*b` is `("a", "b")`."""

    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The value lies between two bounds; None is no bound. Moments are stamps, which sort as text."""

    low: float | str | None = None
    high: float | str | None = None
    low_open: bool = False
    """Whether the lower bound itself is outside."""
    high_open: bool = False


Value = Exact | Wild | Range


@dataclass(frozen=True, slots=True)
class FieldMatch:
    """A field has one of these values."""

    field: str
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Query


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; without any, everything fits."""

    parts: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """One of the parts holds."""

    parts: tuple[Query, ...]


Query = FieldMatch | Not | And | Or
EVERYTHING = And(())


def all_of(parts: Iterable[Query]) -> Query:
    """Return the query that all of these hold, without an And inside an And."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, And) else (part,)))
    return flat[0] if len(flat) == 1 else And(flat)


def any_of(parts: Iterable[Query]) -> Query:
    """Return the query that one of these holds, without an Or inside an Or."""
    flat = tuple(one for part in parts for one in (part.parts if isinstance(part, Or) else (part,)))
    return flat[0] if len(flat) == 1 else Or(flat)


def parts_of(query: Query) -> tuple[Query, ...]:
    """Return the parts of a query; a match has none."""
    if isinstance(query, FieldMatch):
        return ()
    return (query.part,) if isinstance(query, Not) else query.parts


def matches_of(query: Query) -> tuple[FieldMatch, ...]:
    """Return every match in a query, negated ones too."""
    if isinstance(query, FieldMatch):
        return (query,)
    return tuple(match for part in parts_of(query) for match in matches_of(part))


def named_fields(query: Query) -> frozenset[str]:
    """Return the fields that a query names."""
    match query:
        case FieldMatch():
            return frozenset({query.field})
        case Not():
            return named_fields(query.part)
        case And() | Or():
            return frozenset(name for part in query.parts for name in named_fields(part))
