"""Random bytes of a guest: parsed alike however they are cut, refused in one way, and never hoarded."""

from __future__ import annotations

import asyncio
from random import Random
from typing import NamedTuple

from engine.models import Stream
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, StreamSplitter, frames
from tests.fuzzing import rounds

MARK = b"\0" + b"5e" * 16
CAPACITY = 4096
LINES = [
    b"0 0 0 0 0\n",
    b"137 9 1 1 1\n",
    b"999 999 1 1 1\n",
    b"file 1 3\nabcd",
    b"file 3 0\n../",
    b"file 0 4096\n",
    b"file 99999 999999999999999\n",
    b"file 4096 1\n",
    b"item 1 5 0 f\na",
    b"item 1 5 0 x\na",
    b"item 5 1 1 d\n",
    b"shown 2\n[]",
    b"shown 999999999\n",
    b"fault 3\nbad",
    b"fault 1025\n",
    b"gone\n",
    b"left 0\n",
    b"left 7\n",
    b"\n",
    b"left -1\n",
    b"left 0 \n",
    b"file 1 1\r\nab",
    b"x" * 5000,
    b"\xff\xfe\n",
    b"\0" * 9,
    MARK,
    MARK[:9],
    b"+1 0\nx",
    MARK + b"+1 1\n[",
    MARK + b"+1 0\n]",
    MARK + b"+9999 0\n",
    MARK + b"+2 0\n{}",
    MARK + b"+99999 0\n",
    b"print\n",
]


class Parsed(NamedTuple):
    """What became of the bytes of a guest."""

    own: bytes
    displays: list[bytes]
    report: tuple[object, ...]
    refused: bool


def parsed(pieces: list[bytes]) -> Parsed:
    """Parse a stream that comes in pieces, as the engine does."""
    splitter, report, own, displays = StreamSplitter(MARK), ExitReport(CAPACITY), b"", list[bytes]()
    refused = False
    try:
        for piece in pieces:
            mine, rest = splitter.feed(piece)
            own += mine
            displays += splitter.displays()
            report.feed(rest)
    except FrameError:
        refused = True
    else:
        own += splitter.rest()
    assert sum(len(content) for _, content in report.files) <= CAPACITY
    assert len(report._buffer) <= sum(map(len, pieces))
    facts = (
        report.exit_code,
        report.signal,
        report.complete,
        report.omitted,
        report.files,
        report.items,
        report.displays,
        report.error,
        report.interpreter_exited,
    )
    return Parsed(own, displays, facts, refused)


def stream(random: Random) -> bytes:
    """Return what a guest might send: output, displays, a report, with bytes changed, doubled or lost."""
    report = [MARK, LINES[0], *random.choices(LINES, k=random.randint(0, 6)), b"left 0\n"]
    data = b"".join([*random.choices(LINES, k=random.randint(0, 4)), *report])
    for _ in range(random.choice((0, 0, 1, 1, 3))):
        at = random.randrange(len(data) + 1)
        what = random.choice((b"", random.randbytes(3), random.choice(LINES), data[at : at + 9]))
        data = data[:at] + what + data[at + random.choice((0, 1, 4)) :]
    return data


def cut(data: bytes, random: Random) -> list[bytes]:
    """Return data in pieces, some of one byte."""
    pieces = []
    while data:
        size = random.choice((1, 1, 2, 7, 50, 4096))
        pieces.append(data[:size])
        data = data[size:]
    return pieces


def test_a_stream_is_read_alike_however_it_is_cut() -> None:
    """No bytes end in another error than FrameError; pieces of any size give what the whole gives."""
    refusals, tried = 0, 0
    for random in rounds():
        for _ in range(100):
            data = stream(random)
            whole, pieces = parsed([data]), parsed(cut(data, random))
            assert whole.refused is pieces.refused, data
            if not whole.refused:
                assert whole == pieces, data
            refusals += whole.refused
            tried += 1
    assert 0 < refusals < tried


def test_what_follows_the_end_of_a_report_is_not_kept() -> None:
    """A guest that goes on after its last word costs no memory."""
    report = ExitReport(CAPACITY)
    report.feed(b"0 0 0 0 0\nleft 0\n")
    held = len(report._buffer)
    for _ in range(100):
        report.feed(b"x" * 65536)
    assert held == len(report._buffer)


async def collected(data: bytes, pieces: list[bytes]) -> dict[Stream, bytes]:
    """Return each stream of multiplexed data that comes in pieces."""
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    found = dict.fromkeys(Stream, b"")
    async for name, piece in frames(reader):
        found[name] += piece
    assert sum(map(len, found.values())) <= len(data)
    return found


async def test_multiplexed_streams_of_any_bytes_are_read_alike_however_they_are_cut() -> None:
    """Docker's frames, whole, cut short or made up."""
    for random in rounds(1, most=10):
        for _ in range(50):
            parts = [
                bytes([random.choice((0, 1, 2, 3, 255)), 0, 0, 0])
                + random.choice((3, 0, 9, 2**32 - 1)).to_bytes(4)
                + random.randbytes(random.randint(0, 12))
                for _ in range(random.randint(0, 4))
            ]
            data = b"".join(parts)
            assert await collected(data, [data]) == await collected(data, cut(data, random))
