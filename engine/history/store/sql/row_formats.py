"""The formats of a case's row: which columns its digest covers, frozen for each format.

A row states its format, and is verified by that format's columns. A new column of `cases` needs a new format
here and an upgrade in `schema`; entries are never changed, and columns of the table are never removed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.history.store.sql import blobs

_json = json.JSONEncoder(ensure_ascii=False, default=repr, separators=(",", ":")).encode


class RowFormat(NamedTuple):
    """A format of the rows of the table `cases`."""

    number: int
    columns: tuple[str, ...]

    def columns_json(self, values: Sequence[object]) -> bytes:
        """Return the values of the columns as JSON, with the format's number."""
        named = {"format": self.number, **dict(zip(self.columns, values, strict=True))}
        return _json(named).encode("utf-8", "surrogateescape")

    def digest(self, values: Sequence[object], body: bytes) -> str:
        """Return the SHA-256 of a row: its columns as JSON, a line feed, the body."""
        return blobs.digest_of(self.columns_json(values) + b"\n" + body)

    def values(self, row: Mapping[str, object]) -> tuple[object, ...]:
        """Return the values of this format's columns."""
        return tuple(row[name] for name in self.columns)


_FIRST = (
    "id",
    "digest",
    "status",
    "risk",
    "language",
    "requester",
    "first_line",
    "lines",
    "violations",
    "submitted_at",
    "deadline",
    "reviewer",
    "kill_reason",
    "exit_code",
    "duration",
    "memory_peak",
)
FORMATS = {1: RowFormat(1, _FIRST), 2: RowFormat(2, (*_FIRST, "decided_after"))}


def current() -> RowFormat:
    """Return the format that rows are written in. It has the columns of all earlier formats."""
    return FORMATS[max(FORMATS)]
