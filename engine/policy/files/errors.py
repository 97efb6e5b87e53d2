"""What is wrong with a policy file, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Place:
    """A line of a policy file, counted from 1."""

    file: Path
    line: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Fault:
    """One mistake, in words for the person who wrote the file."""

    place: Place
    message: str

    def __str__(self) -> str:
        return f"{self.place}: {self.message}"


class PolicyError(Exception):
    """A policy that cannot be used. Nothing of it is in force; `faults` is never empty."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("; ".join(str(fault) for fault in faults))
        self.faults = faults
