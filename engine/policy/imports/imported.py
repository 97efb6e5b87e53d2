"""What an import makes of each entry of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ImportStatus(StrEnum):
    """What became of an entry."""

    TAKEN = "taken"
    """A rule says the same, or more."""
    COVERED = "covered"
    """Pratique does so in any case."""
    LEFT_OUT = "left out"
    """Nothing in a policy says it; the reason says why, and what to do instead."""


@dataclass(frozen=True)
class ImportedEntry:
    """An entry of a file, what became of it and why. Its texts come from the file and are hostile."""

    line: int
    """Counted from 1; where a format has none, the number of the entry."""
    text: str
    status: ImportStatus
    reason: str
    rule: dict[str, Any] = field(default_factory=dict)
    """A rule of a policy file, where one was made."""


def taken(line: int, text: str, reason: str, rule: dict[str, Any]) -> ImportedEntry:
    """Return an entry that a rule stands for."""
    return ImportedEntry(line, text, ImportStatus.TAKEN, reason, rule)


def covered(line: int, text: str, reason: str) -> ImportedEntry:
    """Return an entry that needs no rule."""
    return ImportedEntry(line, text, ImportStatus.COVERED, reason)


def left_out(line: int, text: str, reason: str) -> ImportedEntry:
    """Return an entry that no rule stands for."""
    return ImportedEntry(line, text, ImportStatus.LEFT_OUT, reason)
