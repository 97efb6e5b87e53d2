"""What verification reads of a history: the protocol that a store implements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.history.chain.merkle import Frontier

Row = tuple[int, str, str, str, str, str, bytes, bytes]
"""A record: its number, time, type, subject, actor, data, the hash of the one before, and its own hash."""


@dataclass(frozen=True, slots=True)
class StoredCase:
    """A case as it is stored: its last record, the format of its row, the columns and the packed body."""

    seq: int
    format: int
    columns: dict[str, Any]
    body: bytes | None


@dataclass(frozen=True, slots=True)
class HistoryEnd:
    """The end of a history as it is stored."""

    size: int
    """The number of the last record, 0 where there is none."""
    at: str
    note: str | None
    """The signed head of the last commit; None where there is none."""
    genesis: bytes
    """What the first record names as the one before it."""


@dataclass(frozen=True, slots=True)
class KeyChange:
    """From the record `seq` on, `key` (hexadecimal) is the key of the reviewer `name`; empty: none is."""

    seq: int
    name: str
    key: str


class HistorySource(Protocol):
    """Reads a history as it is stored, without trusting any of it."""

    @property
    def path(self) -> Path | None:
        """Where the history is stored, for another process to open; None where none can."""
        ...

    def end(self) -> HistoryEnd:
        """Return the last record and its signature, of one moment."""
        ...

    def notices(self) -> list[tuple[int, str, str]]:
        """Return number, type and data of the records about the history itself."""
        ...

    def tree(self, size: int) -> Frontier:
        """Return the tree over the first `size` records, from the stored hashes."""
        ...

    def uses(self, ids: Sequence[str]) -> list[tuple[str, bool, str]]:
        """Return the contents of these cases, of one moment: id, whether by the list of uses, digest.

        The others are those that the records of their runs name.
        """
        ...

    def blocks(self, first: int, last: int) -> dict[int, bytes]:
        """Return the stored subtrees of `STORED` levels from one place to another, by place."""
        ...

    def derived_problems(self) -> Iterable[str]:
        """Yield what the store derives from the records, and is not as it follows from them."""
        ...

    def reviewer_keys(self) -> list[KeyChange]:
        """Return the registrations of reviewers' keys, in order."""
        ...

    def hash_of(self, seq: int) -> bytes | None:
        """Return the stored hash of a record."""
        ...

    def records(self, after: int, last: int, most: int) -> list[Row]:
        """Return the first `most` records after `after`, up to `last`."""
        ...

    def cases(self, ids: Sequence[str]) -> list[StoredCase]:
        """Return the stored cases of these ids."""
        ...

    def unrecorded_cases(self, first: int, mark: str) -> Iterable[tuple[str, int]]:
        """Return id and last record of each case, from record `first` on, whose last record lacks `mark`."""
        ...

    def last_state(self, id: str) -> int | None:
        """Return the number of the last record that names a case."""
        ...

    def contents(self, digests: Sequence[bytes]) -> Iterable[tuple[bytes, bytes | None]]:
        """Return these contents, packed; None for one that is erased."""
        ...

    def erased(self) -> frozenset[str]:
        """Return the digests of all contents that records say were erased."""
        ...

    def erased_records(self) -> dict[int, str]:
        """Return the records whose texts later records say were erased: the SHA-256 of what is left."""
        ...
