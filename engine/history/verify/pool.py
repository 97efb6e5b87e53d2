"""Long histories are read by several processes, each a stretch at a time; short ones here."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple

from engine.history.chain.merkle import Piece
from engine.history.verify.contents import Contents
from engine.history.verify.range import Stop, Walked, walk

WORTH = 8
"""From so many stretches on other processes are started."""
MOST = 4
"""No more processes than that."""
AHEAD = 2
"""Stretches that a process is given before its first answer."""


class Span(NamedTuple):
    """A stretch to read, and where in it to stop for a checkpoint."""

    first: int
    last: int
    stops: frozenset[int]


def stretches(connection: sqlite3.Connection, spans: Sequence[Span]) -> Generator[Walked, None, None]:
    """Yield what was found in each stretch, in order."""
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    processes = min(MOST, len(os.sched_getaffinity(0)))
    if len(spans) < WORTH or processes < 2:
        contents = Contents(connection)
        yield from (walk(connection, contents, *span) for span in spans)
    else:
        yield from _shared(Path(path), spans, processes)


def _shared(path: Path, spans: Sequence[Span], processes: int) -> Generator[Walked, None, None]:
    """Deal the stretches to processes in turn; they end with this generator, or with this process."""
    with ExitStack() as stack:
        walkers = [stack.enter_context(_Walker(path)) for _ in range(processes)]
        for number, span in enumerate(spans[: processes * AHEAD]):
            walkers[number % processes].ask(span)
        for number in range(len(spans)):
            walker = walkers[number % processes]
            walked = walker.answer()
            following = number + processes * AHEAD
            if following < len(spans):
                walker.ask(spans[following])
            yield walked


class _Walker:
    """A process that reads stretches until its standard input ends."""

    def __init__(self, path: Path) -> None:
        arguments = [sys.executable, "-P", "-m", "engine.history.verify.worker", str(path)]
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> _Walker:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.__exit__(None, None, None)

    def ask(self, span: Span) -> None:
        """Give it a stretch to read."""
        line = json.dumps([span.first, span.last, sorted(span.stops)])
        _pipe(self._process.stdin).write(f"{line}\n")
        _pipe(self._process.stdin).flush()

    def answer(self) -> Walked:
        """Wait for the first stretch that was asked for.

        Raises:
            OSError: the process has ended.
        """
        line = _pipe(self._process.stdout).readline()
        if not line:
            raise ChildProcessError(f"A process that reads the history ended: {self._process.wait()}")
        return unpacked(line)


def _pipe(pipe: IO[str] | None) -> IO[str]:
    if pipe is None:
        raise ChildProcessError("A process that reads the history has no pipe")
    return pipe


def packed(walked: Walked) -> str:
    """Return what was found as one line."""
    stops = [[stop.seq, stop.hash.hex(), _hex(stop.pieces), stop.note] for stop in walked.stops]
    return json.dumps([walked.last, stops, _hex(walked.rest), walked.finding])


def unpacked(line: str) -> Walked:
    """Return what `packed` was given."""
    last, stops, rest, finding = json.loads(line)
    listed = [Stop(seq, bytes.fromhex(head), _bytes(grown), note) for seq, head, grown, note in stops]
    return Walked(last, listed, _bytes(rest), (finding[0], finding[1]) if finding else None)


def _hex(grown: Sequence[Piece]) -> list[tuple[int, str]]:
    return [(level, root.hex()) for level, root in grown]


def _bytes(grown: Sequence[tuple[int, str]]) -> list[Piece]:
    return [(level, bytes.fromhex(root)) for level, root in grown]
