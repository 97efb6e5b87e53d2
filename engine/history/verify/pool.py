"""Long histories are verified by several processes, a range at a time; short ones in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple

from engine.history.chain.merkle import Piece
from engine.history.verify.range import ComparisonPoint, VerifiedRange, verify_range
from engine.history.verify.source import HistorySource
from engine.history.verify.stored_data import StoredDataChecks

PARALLEL_FROM = 8
"""With at least this many ranges, other processes are started."""
MOST = 4
"""The most processes that are started."""
AHEAD = 2
"""Ranges that a process is given before its first answer."""


class RecordRange(NamedTuple):
    """A range to read, and where in it to compare with a checkpoint."""

    first: int
    last: int
    points: frozenset[int]


def verify_ranges(
    source: HistorySource, ranges: Sequence[RecordRange]
) -> Generator[VerifiedRange, None, None]:
    """Yield what was found in each range, in order."""
    processes = min(MOST, len(os.sched_getaffinity(0)))
    path = source.path
    if path is None or len(ranges) < PARALLEL_FROM or processes < 2:
        checks = StoredDataChecks(source)
        yield from (verify_range(source, checks, *one_range) for one_range in ranges)
    else:
        yield from _shared(path, ranges, processes)


def _shared(
    path: Path, ranges: Sequence[RecordRange], processes: int
) -> Generator[VerifiedRange, None, None]:
    """Distribute the ranges among processes, which end with this generator or with this process."""
    with ExitStack() as stack:
        workers = [stack.enter_context(_Worker(path)) for _ in range(processes)]
        for number, one_range in enumerate(ranges[: processes * AHEAD]):
            workers[number % processes].request(one_range)
        for number in range(len(ranges)):
            worker = workers[number % processes]
            verified = worker.answer()
            following = number + processes * AHEAD
            if following < len(ranges):
                worker.request(ranges[following])
            yield verified


class _Worker:
    """A process that verifies ranges until its standard input ends."""

    def __init__(self, path: Path) -> None:
        arguments = [sys.executable, "-P", "-m", "engine.history.verify.worker", str(path)]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> _Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.__exit__(None, None, None)

    def request(self, one_range: RecordRange) -> None:
        """Request the verification of a range."""
        line = json.dumps([one_range.first, one_range.last, sorted(one_range.points)])
        _pipe(self._process.stdin).write(f"{line}\n")
        _pipe(self._process.stdin).flush()

    def answer(self) -> VerifiedRange:
        """Wait for the result of the oldest request.

        Raises:
            OSError: the process has ended.
        """
        line = _pipe(self._process.stdout).readline()
        if not line:
            raise ChildProcessError(f"A process that reads the history ended: {self._process.wait()}")
        return decode(line)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise ChildProcessError("A process that reads the history has no pipe")
    return pipe


def encode(verified: VerifiedRange) -> str:
    """Return what was found as one line."""
    points = [[point.seq, point.hash.hex(), _hex(point.pieces), point.note] for point in verified.points]
    return json.dumps([verified.last, points, _hex(verified.rest), verified.mismatch, verified.unregistered])


def decode(line: str) -> VerifiedRange:
    """Return what `encode` was given."""
    last, points, rest, mismatch, unregistered = json.loads(line)
    listed = [
        ComparisonPoint(seq, bytes.fromhex(head), _bytes(grown), note) for seq, head, grown, note in points
    ]
    found = (mismatch[0], mismatch[1]) if mismatch else None
    return VerifiedRange(last, listed, _bytes(rest), found, unregistered)


def _hex(grown: Sequence[Piece]) -> list[tuple[int, str]]:
    return [(level, root.hex()) for level, root in grown]


def _bytes(grown: Sequence[tuple[int, str]]) -> list[Piece]:
    return [(level, bytes.fromhex(root)) for level, root in grown]
