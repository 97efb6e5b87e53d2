"""The output of a guest is untrusted: it is parsed byte for byte, and invalid frames are refused."""

from __future__ import annotations

import asyncio
import base64
import itertools
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.common.text import Untrusted
from engine.models import InputFile, Limits, Stream
from engine.sandbox.api.file_names import safe_name
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError, RunRequest, StreamSplitter, frames
from engine.sandbox.run.displays import DisplayCollector

MARK = b"\0" + b"5e" * 16
alphabet = st.binary(max_size=80) | st.sampled_from([b"\0", MARK[:9], MARK[:-1], MARK[:1] * 3])


def _cut(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


@given(st.lists(alphabet, max_size=8), st.binary(max_size=50), st.lists(st.integers(0, 10_000), max_size=12))
def test_the_mark_splits_the_stream_at_any_chunking(
    pieces: list[bytes], after: bytes, cuts: list[int]
) -> None:
    """The bytes before the mark and those after it are returned unchanged."""
    before = b"".join(pieces)
    assume(MARK not in before and not after.startswith(b"+"))
    tail = StreamSplitter(MARK)
    fed = [tail.feed(piece) for piece in _cut(before + MARK + after, cuts)]
    assert before == b"".join(own for own, _ in fed)
    assert after == b"".join(rest for _, rest in fed)
    assert tail.ended or not after


def _inserted(piece: bytes, more: int) -> bytes:
    return MARK + b"+%d %d\n" % (len(piece), more) + piece


@given(
    st.lists(st.tuples(alphabet, st.binary(min_size=1, max_size=40)), max_size=5),
    st.lists(st.integers(0, 10_000), max_size=12),
)
def test_displays_are_extracted_at_any_chunking(parts: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    """A display is returned whole, and the output of the program around it unchanged."""
    assume(MARK not in b"".join(own for own, _ in parts))
    stream = b"".join(
        own + MARK + b"+1 1\n" + item[:1] + MARK + b"+%d 0\n" % len(item[1:]) + item[1:]
        for own, item in parts
    )
    tail = StreamSplitter(MARK)
    fed = [tail.feed(piece) for piece in _cut(stream + MARK + b" 0", cuts)]
    assert b"".join(own for own, _ in parts) == b"".join(own for own, _ in fed)
    assert [item for _, item in parts] == tail.displays()
    assert b" 0" == b"".join(rest for _, rest in fed)


@pytest.mark.parametrize("frame", [b"+1\n", b"+x 1\nx", b"+99999 0\n", b"+" * 20])
def test_an_invalid_display_frame_is_refused(frame: bytes) -> None:
    """A display frame that no supervisor sends raises FrameError."""
    with pytest.raises(FrameError):
        StreamSplitter(MARK).feed(MARK + frame)


@given(st.lists(alphabet, max_size=8))
def test_a_stream_without_the_mark_is_returned_whole(pieces: list[bytes]) -> None:
    """A stream that ends without the mark is output of the program, to the last byte."""
    assume(MARK not in b"".join(pieces))
    tail = StreamSplitter(MARK)
    own = b"".join(tail.feed(piece)[0] for piece in pieces)
    assert b"".join(pieces) == own + tail.rest()


def test_a_plain_line_is_not_buffered() -> None:
    """Output that cannot begin the mark is passed on at once."""
    assert (b"hello\n", b"") == StreamSplitter(MARK).feed(b"hello\n")


@given(st.binary(max_size=300))
def test_an_exit_report_of_any_bytes_is_parsed_or_refused(data: bytes) -> None:
    """Any bytes are an exit report, an incomplete one, or raise FrameError."""
    report = ExitReport(capacity=100)
    try:
        report.feed(data)
    except FrameError:
        return
    assert 100 >= sum(len(content) for _, content in report.files)


@given(st.lists(st.tuples(st.text(st.characters(codec="utf-8"), min_size=1, max_size=9), st.binary())))
def test_files_come_back_as_they_were(files: list[tuple[str, bytes]]) -> None:
    """Names and contents of any bytes are returned unchanged."""
    stream = b" 3 0 0 1 0\n"
    for name, content in files:
        stream += b"file %d %d\n%b%b" % (len(name.encode()), len(content), name.encode(), content)
    report = ExitReport(capacity=1 << 20)
    for piece in _cut(stream + b"left 2\n", [1, 5, 20, 33]):
        report.feed(piece)
    assert (3, True, False, 2, True) == (
        report.exit_code, report.task_limit_hit, report.disk_full, report.omitted, report.complete,
    )  # fmt: skip
    assert files == report.files


@pytest.mark.parametrize(
    "frame",
    [
        b"\n", b"0 0 0 0\n", b"0 0 0 0 0 0\n", b"-1 0 0 0 0\n", b"0 0 0 0 0\nfile 1 101\nx", b"x" * 5000,
        b"0 0 0 0 0\nitem 1 1 1 x\na", b"0 0 0 0 0\nshown 99999999\n", b"0 0 0 0 0\nfault 9999\n",
        b"0 0 0 0 0\nshown 1\nxshown 1\nx", b"0 0 0 0 0\nitem 5000 1 1 f\n",
        b"0 0 0 0 0\nfile 5000 1\n", b"0 0 0 0 0\nfile 1 -1\n", b"0 0 0 0 0\nlink 1 1\n",
    ],
)  # fmt: skip
def test_an_invalid_exit_report_is_refused(frame: bytes) -> None:
    """A frame that no supervisor sends, or that is larger than allowed, raises FrameError."""
    with pytest.raises(FrameError):
        ExitReport(capacity=100).feed(frame)


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/.", "a\0b", "/".join("a" * 17), "x" * 256],
)
def test_names_that_leave_the_workspace_are_refused(name: str) -> None:
    """Absolute names, names with `..` and names that are too long are refused."""
    with pytest.raises(ValueError, match="relative"):
        safe_name(Untrusted(name))


def test_a_run_request_is_a_header_the_files_and_the_code() -> None:
    """The header has the exact sizes of what follows."""
    file = InputFile(name=Untrusted("d/é.txt"), content=b"abc")
    request = RunRequest(b"print(1)", (file,), Limits(), 66, 99, 47, "n" * 32)
    assert (
        b"47 1 99 66 8 " + b"n" * 32 + b"\n" + b"8 3\n" + "d/é.txt".encode() + b"abc" + b"print(1)"
    ) == request.encode()


@given(
    st.binary(max_size=200) | st.recursive(st.text(), st.lists).map(lambda some: json.dumps(some).encode())
)
async def test_any_display_is_kept_or_dropped(data: bytes) -> None:
    """Anything but a list of known displays is dropped with a note; no bytes raise an error."""
    shown = DisplayCollector("r", None)
    assert () == await shown.take(b"[" + data + b"]")
    assert data.strip() == b"" or shown.notes


async def test_an_invalid_picture_is_dropped() -> None:
    """Data that is not the declared picture, and text that is too long, are counted and dropped."""
    items = [
        {"mime": "image/png", "data": base64.b64encode(b"GIF89a").decode()},
        {"mime": "image/png", "data": "%%%"},
        {"mime": "text/plain", "data": "x" * 10_000_000},
        {"mime": "text/html", "data": "<b>"},
    ]
    shown = DisplayCollector("r", None)
    found = await shown.take(json.dumps(items).encode())
    assert (["<b>"], 1) == ([one.text.text for one in found], len(shown.notes))


async def test_docker_frames_are_parsed() -> None:
    """Streams are separated, empty frames are skipped, and an incomplete frame ends the stream."""
    reader = asyncio.StreamReader()
    reader.feed_data(b"\1\0\0\0\0\0\0\2ab" + b"\2\0\0\0\0\0\0\0" + b"\2\0\0\0\0\0\0\5cd")
    reader.feed_eof()
    assert [(Stream.STDOUT, b"ab"), (Stream.STDERR, b"cd")] == [frame async for frame in frames(reader)]
