"""Several processes find in a history what one finds."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from engine.history.devtools.seed import seed_history
from engine.history.store.sql.verification_source import SqlSource
from engine.history.store.sqlite.connect import open_reader
from engine.history.verify.pool import PARALLEL_FROM, RecordRange, verify_ranges
from engine.history.verify.range import VerifiedRange, verify_range
from engine.history.verify.stored_data import StoredDataChecks

SPANS = [RecordRange(first, first + 19, frozenset({first + 3})) for first in range(1, 20 * PARALLEL_FROM, 20)]


def both(path: Path) -> tuple[list[VerifiedRange], list[VerifiedRange]]:
    """Return what this process, and what several, find in the ranges."""
    with contextlib.closing(open_reader(path, lambda: False)) as connection:
        source = SqlSource(connection, path)
        checks = StoredDataChecks(source)
        return [verify_range(source, checks, *one_range) for one_range in SPANS], list(
            verify_ranges(source, SPANS)
        )


def test_processes_find_what_one_finds(path: Path) -> None:
    """Ranges, points and pieces of the tree are the same, wherever they were read."""
    seed_history(path, 40, seed=1)
    here, there = both(path)
    assert here == there
    assert [one_range.last for one_range in SPANS] == [verified.last for verified in there]


def test_a_change_is_found_by_the_process_that_reads_it(path: Path) -> None:
    """The record is named, and the ranges around it are as they should be."""
    seed_history(path, 40, seed=1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE events SET actor = 'mallory' WHERE seq = 47")
    here, there = both(path)
    assert here == there
    assert [None, None, (47, "record 47 was changed"), None] == [verified.mismatch for verified in there[:4]]


def test_a_range_without_records_is_missed(path: Path) -> None:
    """Where all records of a range are gone, the first of them is named."""
    seed_history(path, 40, seed=1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM events WHERE seq BETWEEN 21 AND 40")
    assert (21, "record 21 was removed") == both(path)[1][1].mismatch


@pytest.mark.parametrize("block", [1, 2])
def test_a_changed_stored_subtree_is_found_among_checkpoints(path: Path, block: int) -> None:
    """Although checkpoints cut the tree within it."""
    seed_history(path, 300, seed=1)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE subtrees SET hash = zeroblob(32) WHERE level = 10 AND place = ?", (block,))
    with contextlib.closing(open_reader(path, lambda: False)) as connection:
        source = SqlSource(connection, path)
        found = verify_range(source, StoredDataChecks(source), 1, source.end().size, frozenset({1500, 2600}))
    assert ((block + 1) << 10, "the stored tree over the records was changed") == found.mismatch
