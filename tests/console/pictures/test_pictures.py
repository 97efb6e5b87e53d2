"""Pictures of guests become cells: right where they are pictures, and refused where they are attacks."""

from __future__ import annotations

import json
import re
import struct
import zlib
from base64 import b64decode
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from console.pictures.cells import decoded, strips
from console.pictures.decode import DECODE_ERRORS, thumbnail
from console.pictures.shrink import UnsupportedPicture
from console.pictures.tables import table
from console.run.saving import suggested_name
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Artifact, Display, Status
from tests.console.app.test_screens import running
from tests.console.safety.test_hostile_frames import plain
from tests.console.support.fake_engine import FakeEngine, result
from tests.console.support.harness import frame, open_console, press, until

RED, BLUE = (255, 0, 0), (0, 0, 255)
JPEG = b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAUDBAQEAwUEBAQFBQUGBwwIBwcHBw8LCwkMEQ8SEhEPERETFhwXExQaFRERGCEY"
    "Gh0dHx8fExciJCIeJBweHx7/2wBDAQUFBQcGBw4ICA4eFBEUHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4e"
    "Hh4eHh4eHh4eHh4eHh7/wAARCAAQABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgcA/8QAGRAAAQUAAAAAAAAA"
    "AAAAAAAAAAUGIzGh/8QAFwEAAwEAAAAAAAAAAAAAAAAAAAUGB//EAB0RAAIBBAMAAAAAAAAAAAAAAAAGIgEDBDEFI2H/3QAE"
    "AAH/2gAMAwEAAhEDEQA/AIMmteo8E6a16iwpSa16jwTprXqPAzGT0RrTdqR//9AmmteosMXFNa9R4YmrzJLZqXHN3TSR/9k="
)
"""24 by 16 pixels of (10 x, 15 y, 100), their colours halved across and down, a restart after each unit."""
PROGRESSIVE = b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAx"
    "NDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIy"
    "MjIyMjIyMjL/wgARCAAQABgDASIAAhEBAxEB/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAQFBv/EABYBAQEBAAAAAAAAAAAAAAAAAAQA"
    "Bf/aAAwDAQACEAMQAAABzLldyPINGE3v/8QAFhAAAwAAAAAAAAAAAAAAAAAAAAID/9oACAEBAAEFAliLEWIsRYixP//EABcRAAMB"
    "AAAAAAAAAAAAAAAAAAADBCL/2gAIAQMBAT8BlsF2ZP/EABcRAAMBAAAAAAAAAAAAAAAAAAABBAL/2gAIAQIBAT8B3UOo/8QAFBAB"
    "AAAAAAAAAAAAAAAAAAAAIP/aAAgBAQAGPwJf/8QAFRABAQAAAAAAAAAAAAAAAAAAAGH/2gAIAQEAAT8hiiiiii//2gAMAwEAAgAD"
    "AAAAEPD/AP/EABYRAQEBAAAAAAAAAAAAAAAAACEAMf/aAAgBAwEBPxDFjN//xAAXEQEAAwAAAAAAAAAAAAAAAAAAITFh/9oACAEC"
    "AQE/ENk1v//EABUQAQEAAAAAAAAAAAAAAAAAAAAx/9oACAEBAAE/EJs2bMmTP//Z"
)
"""The same pixels in ten scans: the first coefficients, the others, and then their last bits."""
GIF = b64decode("R0lGODlhBAAEAIEAAP8AAAAA/wAAAAkJCSH5BAEAAAMALAAAAAAEAAQAAAgQAAEEEBigYAABCAUAWDggIAA7")
"""Four lines of four pixels, interlaced: red and blue, blue, black, red and one that is transparent."""


def png(width: int, height: int, lines: bytes, *, kind: int = 2, depth: int = 8, extra: bytes = b"") -> bytes:
    """Return a PNG of these filtered lines."""
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + extra + part(b"IDAT", zlib.compress(lines))


def part(name: bytes, body: bytes) -> bytes:
    """Return a chunk."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def filtered(rows: list[bytes], kind: int, step: int) -> bytes:
    """Return lines with one of the five filters done to them, by the words of the specification."""
    result, above = b"", bytes(len(rows[0]))
    for row in rows:
        line = bytearray()
        for at, value in enumerate(row):
            left, up = (row[at - step] if at >= step else 0), above[at]
            corner = above[at - step] if at >= step else 0
            guess = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
            line.append((value - (0, left, up, (left + up) // 2, guess)[kind]) % 256)
        result, above = result + bytes([kind]) + bytes(line), row
    return result


@given(st.integers(0, 4), st.lists(st.binary(min_size=9, max_size=9), min_size=1, max_size=5))
def test_every_filter_is_undone(kind: int, rows: list[bytes]) -> None:
    """What was filtered comes out as it was, pixel by pixel."""
    picture = png(3, len(rows), filtered(rows, kind, 3))
    assert (3, len(rows), b"".join(rows)) == thumbnail(picture, 10, 10)


@pytest.mark.parametrize(
    ("kind", "depth", "line", "extra"),
    [
        (0, 8, b"\xff\x00", b""),
        (0, 1, b"\x80", b""),
        (0, 16, b"\xff\xff\x00\x00", b""),
        (3, 4, b"\x01", part(b"PLTE", bytes((255, 255, 255, 0, 0, 0)))),
        (4, 8, b"\x00\x00\x00\xff", b""),
        (6, 8, b"\x07\x07\x07\x00\x00\x00\x00\xff", b""),
    ],
    ids=["grey", "bits", "sixteen", "palette", "grey-alpha", "alpha"],
)
def test_every_kind_of_png_is_read(kind: int, depth: int, line: bytes, extra: bytes) -> None:
    """White, then black; what is transparent is white."""
    picture = png(2, 1, b"\0" + line, kind=kind, depth=depth, extra=extra)
    assert (2, 1, b"\xff\xff\xff\0\0\0") == thumbnail(picture, 10, 10)


@pytest.mark.parametrize(("across", "down"), [(1, 1), (2, 3), (5, 4), (8, 8), (19, 9)])
def test_an_interlaced_png_is_read(across: int, down: int) -> None:
    """Its seven passes come together as the pixels that they were taken from; one cut short is refused."""
    rows = [[bytes((9 * x, 9 * y, x ^ y)) for x in range(across)] for y in range(down)]
    steps = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
    taken = [[row[left::over] for row in rows[top::below]] for left, top, over, below in steps]
    lines = b"".join(b"\0" + b"".join(row) for each in taken for row in each if row)
    header = struct.pack(">IIBBBBB", across, down, 8, 2, 0, 0, 1)
    for data in (lines, lines[:-1]):
        whole = b"\x89PNG\r\n\x1a\n" + part(b"IHDR", header) + part(b"IDAT", zlib.compress(data))
        with nullcontext() if data is lines else pytest.raises(UnsupportedPicture):
            assert (across, down, b"".join(b"".join(row) for row in rows)) == thumbnail(whole, 50, 50)


def test_a_large_picture_is_made_small() -> None:
    """Each pixel of the small one is the mean of its part, and the shape stays."""
    rows = b"".join(b"\0" + bytes((*RED,) * 50 + (*BLUE,) * 50) for _ in range(40))
    assert (2, 1, bytes(RED + BLUE)) == thumbnail(png(100, 40, rows), 2, 2)


@settings(max_examples=200)
@given(st.binary(max_size=60), st.integers(0, 60), st.integers(0, 255))
def test_a_broken_picture_is_refused(tail: bytes, at: int, value: int) -> None:
    """Whatever is wrong with one, nothing but a refusal comes of it."""
    whole = bytearray(png(3, 2, filtered([bytes(9), bytes(9)], 4, 3)))
    whole[at % len(whole)] = value
    whole[28] ^= value & 1
    for each in (bytes(whole), b"\x89PNG\r\n\x1a\n" + tail):
        with suppress(*DECODE_ERRORS):
            thumbnail(each, 4, 4)


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([JPEG, PROGRESSIVE, GIF]), st.integers(0, 700), st.binary(max_size=4), st.integers(1, 30)
)
def test_a_broken_jpeg_or_gif_is_refused(whole: bytes, at: int, bytes_: bytes, size: int) -> None:
    """Whatever is cut or changed, nothing but a refusal or a picture of the right size comes of it."""
    start = whole[: at % len(whole)] + bytes_
    for each in (start, start + whole[at + len(bytes_) :]):
        with suppress(*DECODE_ERRORS):
            width, height, pixels = thumbnail(each, size, size)
            assert width * height * 3 == len(pixels)


@pytest.mark.parametrize("jpeg", [JPEG, PROGRESSIVE], ids=["baseline", "progressive"])
def test_a_jpeg_is_read(jpeg: bytes) -> None:
    """Each pixel is near to what it was before it was written; made small, it is near to their mean."""
    assert (24, 16) == thumbnail(jpeg, 100, 100)[:2]
    wanted = [each for y in range(16) for x in range(24) for each in (10 * x, 15 * y, 100)]
    near = [abs(one - other) for one, other in zip(wanted, thumbnail(jpeg, 100, 100)[2], strict=True)]
    assert sum(near) / len(near) < 6
    across, down, small = thumbnail(jpeg, 3, 3)
    assert (3, 2) == (across, down)
    assert all(abs(one - other) < 16 for one, other in zip((35, 52, 100), small, strict=False))


def test_a_gif_is_read() -> None:
    """The first picture, its lines in order, white where it is transparent."""
    black, white = (0, 0, 0), (255, 255, 255)
    rows = ((RED, BLUE, RED, BLUE), (BLUE,) * 4, (black,) * 4, (RED, RED, RED, white))
    assert (4, 4, bytes(each for row in rows for pixel in row for each in pixel)) == thumbnail(GIF, 9, 9)


async def test_a_picture_is_two_pixels_to_a_cell() -> None:
    """The upper pixel is the colour of the cell, the lower one lies behind it."""
    pixels = await decoded(png(1, 2, b"\0" + bytes(RED) + b"\0" + bytes(BLUE)), 10, 10)
    (cell,) = strips(pixels)[0]
    assert cell.style is not None
    assert cell.style.color is not None
    assert cell.style.bgcolor is not None
    assert ("▀", RED, BLUE) == (cell.text, cell.style.color.triplet, cell.style.bgcolor.triplet)


@pytest.mark.parametrize(
    "bad",
    [b"GIF89a", png(1 << 20, 1 << 20, b""), png(4000, 4000, bytes(10)), png(2, 2, b"\x09" * 14)],
    ids=["no-png", "huge", "bomb", "filter"],
)
async def test_what_is_no_picture_is_said(bad: bytes) -> None:
    """The screen says why, and the console goes on."""
    with pytest.raises(Problem, match="cannot be drawn"):
        await decoded(bad, 10, 10)


async def test_what_a_run_left_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture is drawn as blocks, a table as lines, a file as its text, saved once."""
    monkeypatch.chdir(tmp_path)
    rows = Untrusted('{"columns": ["town", "people"], "rows": [["Köln", 1084831], ["Bonn", null]]}')
    files = [Artifact(name=Untrusted(name), size=9, digest="0" * 64) for name in ("plot.png", "notes.txt")]
    left = result().model_copy(
        update={"displays": (Display(mime="table", text=rows),), "artifacts": tuple(files)}
    )
    engine = FakeEngine(running("s-1").model_copy(update={"status": Status.FINISHED, "result": left}))
    engine.files = {("s-1", "plot.png"): png(1, 1, b"\0\xff\0\0"), ("s-1", "notes.txt"): b"a \x1b[2J note"}
    async with open_console(engine) as (app, pilot):
        await press(pilot, "2")
        await until(pilot, lambda: "3 artifacts" in frame(app))
        await press(pilot, "a")
        await until(pilot, lambda: "Köln  1084831" in plain(app))
        await press(pilot, "n")
        await until(pilot, lambda: "▀" in plain(app), 60)
        await press(pilot, "n")
        await until(pilot, lambda: "a ␛[2J note" in plain(app))
        await press(pilot, "s", "enter")
        await until(pilot, lambda: "11 B to notes.txt" in plain(app))
        assert b"a \x1b[2J note" == (tmp_path / "notes.txt").read_bytes()
        await press(pilot, "s", "enter")
        await until(pilot, lambda: "notes.txt already exists" in plain(app))


@given(st.text())
def test_the_name_suggested_for_an_artifact_is_plain(name: str) -> None:
    """Whatever a guest calls its file, no folder, hidden file, option or strange character is suggested."""
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}|s-1", suggested_name(Untrusted(name), "s-1"))


@given(st.recursive(st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(
    st.sampled_from(["columns", "rows"]), inner), max_leaves=10))  # fmt: skip
def test_whatever_a_table_is_made_of_it_is_lines_or_none(data: object) -> None:
    """No shape of a guest's JSON breaks the screen."""
    drawn = table(Untrusted(json.dumps(data)))
    assert drawn is None or drawn.count("\n") >= 1
