"""A condition in SQL, with the values of its placeholders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Where:
    """A condition in SQL and its values."""

    sql: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Leaf:
    """A match in SQL, in two ways that find the same."""

    cases: Where
    """A query for the numbers of the cases that fit, to which a limit can be added."""
    probe: Where
    """A condition on a row of `cases`."""
    common: bool = False
    """Whether it finds so many that they are not worth looking up."""


EVERYTHING = Where("TRUE")
NOTHING = Where("FALSE")


def joined(parts: Sequence[Where], word: str) -> Where:
    """Return the conditions joined by `AND` or `OR`; without any, what always or never holds."""
    if not parts:
        return EVERYTHING if word == "AND" else NOTHING
    sql = f" {word} ".join(part.sql for part in parts)
    return Where(f"({sql})", tuple(value for part in parts for value in part.values))
