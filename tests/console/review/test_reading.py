"""Only what a person could have read counts as read, and data is read by its profile."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.app.preferences import Preferences
from console.code_view.lines import Row
from console.code_view.view import CodeView
from console.code_view.visibility import VisibilityTracker
from console.review.input_files import FilesScreen
from console.review.reading.profile import profile
from console.review.review_record import ReviewRecorder
from console.review.screen import ReviewScreen
from engine.common.review_coverage import coverage_gaps, line_times
from engine.common.text import Untrusted
from engine.models import InputFile, ReviewRecord
from tests.console.support.fake_engine import FakeEngine, case
from tests.console.support.harness import QUICK, frame, open_console, press, until

NEEDED = 0.05
LOOKS = st.lists(st.tuples(st.integers(-5, 60), st.integers(1, 40), st.floats(0, 0.5)), max_size=200)
CSV = "name,age,note\n" + "".join(f"n{number},{number},ok\n" for number in range(200))
SLOW = Preferences(undo_seconds=0, reading_seconds=2)


def file(name: str, content: str | bytes) -> InputFile:
    """Return an input file."""
    return InputFile(name=Untrusted(name), content=content.encode() if isinstance(content, str) else content)


def rows(count: int) -> list[Row]:
    """Return rows of one line each."""
    return [Row(number, 0, 1) for number in range(count)]


@given(LOOKS)
def test_reading_takes_its_time_however_pages_are_turned(looks: list[tuple[int, int, float]]) -> None:
    """No order of pages, no repeated key and no overlap reads a row in less than its share of the time."""
    tracker = VisibilityTracker(rows(50))
    for first, height, seconds in looks:
        tracker.note(first, first + height, seconds, NEEDED)
    passed = sum(seconds for _, _, seconds in looks)
    assert len(tracker.lines) * NEEDED <= passed + 1e-3


@given(LOOKS)
def test_the_times_of_a_record_are_those_on_screen(looks: list[tuple[int, int, float]]) -> None:
    """No stretch claims more than any of its lines had, and there are never too many."""
    tracker = VisibilityTracker(rows(50))
    for first, height, seconds in looks:
        tracker.note(first, first + height, seconds, NEEDED)
    for first, last, seconds in line_times(tracker.seconds):
        assert all(tracker.seconds[line] >= seconds - 0.051 for line in range(first, last + 1))
    assert 100 >= len(line_times({number: number / 7 for number in range(1, 5001)}))


def test_a_page_that_stays_counts_after_its_time() -> None:
    """Forty new rows take two seconds, one more row a twentieth of one."""
    tracker = VisibilityTracker(rows(41))
    tracker.note(0, 40, 1.9, NEEDED)
    assert set() == tracker.lines
    assert 0.1 == pytest.approx(tracker.seconds_left(0, 40, NEEDED))
    tracker.note(0, 40, 0.1, NEEDED)
    assert 40 == len(tracker.lines)
    tracker.note(1, 41, 0.05, NEEDED)
    assert 41 == len(tracker.lines)


async def test_a_key_that_is_held_reads_nothing() -> None:
    """Page after page at the speed of a repeated key leaves all unread, and says how long a page takes."""
    engine = FakeEngine(case("s-1", "".join(f"line{number}\n" for number in range(300))))
    async with open_console(engine, preferences=SLOW) as (app, pilot):
        screen, view = app.screen, app.screen.query_one(CodeView)
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: view.line_count == 300)
        for _ in range(40):
            await pilot.press("pagedown")
        await until(pilot, lambda: "this page:" in screen.unread)
        assert 0 == len(view.seen_lines)
        assert "300 lines" in screen.unread


async def test_the_record_says_how_long_lines_were_on_screen() -> None:
    """Lines that were on screen have their seconds; others have none."""
    engine = FakeEngine(case("s-1", "".join(f"line{number}\n" for number in range(300))))
    async with open_console(engine) as (app, pilot):
        screen, view = app.screen, app.screen.query_one(CodeView)
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: view.line_count == 300)
        recorder = screen._reader.recorder
        assert recorder is not None
        await until(pilot, lambda: recorder.line_seconds[1] > 0.5)
        assert 0.0 == recorder.line_seconds[300]
        assert recorder.record.times[0][2] >= 0.3
        assert ReviewRecord.model_validate_json(recorder.record.model_dump_json()) == recorder.record


@pytest.mark.parametrize(
    ("name", "content", "kind", "counts"),
    [
        ("a.csv", CSV, "CSV", True),
        ("a.tsv", CSV.replace(",", "\t"), "TSV", True),
        ("a.jsonl", '{"a": 1}\n' * 100, "JSON lines", True),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG picture", True),
        ("short.csv", "a,b\n1,2\n", "CSV", False),
        ("a.txt", "word\n" * 500, "text", False),
        ("helper.py", "import os\n" * 500, "text", False),
        ("a.bin", bytes(range(256)), "bytes of an unknown kind", False),
        ("a.csv", "#!/bin/sh\n" + CSV, "CSV", False),
        ("a.csv", CSV + "x,1,__import__('os').system('id')\n", "CSV", False),
        ("a.csv", CSV + "x,1,<script>\n", "CSV", False),
        ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50) + b"PK\x05\x06" + bytes(18), "PNG picture", False),
        ("a.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '|O'}", "NumPy array", False),
        ("a.csv", b"\x80\x04\x95" + CSV.encode(), "bytes of an unknown kind", False),
    ],
)
def test_a_profile_counts_for_data_that_cannot_run(
    name: str, content: str | bytes, kind: str, counts: bool
) -> None:
    """Code, archives, pickles, scripts and unknown bytes have to be read as they are, whatever their name."""
    found = profile(file(name, content))
    assert (kind, counts) == (found.kind, found.counts)


def test_a_profile_names_what_is_odd() -> None:
    """Rows of another width, formulas, long cells and hidden characters are counted and shown."""
    odd = (
        CSV
        + 'x,1\n=HYPERLINK("http://a.example"),1,2\n'
        + f"y,2,{'z' * 600}\nq,3,a\u202eb\n"
        + "t,-4.5e3,+7\n"
    )
    found = dict(profile(file("a.csv", odd)).anomalies)
    assert {
        "1 rows of another width",
        "1 rows with a cell that begins like a formula",
        "1 rows with a cell of more than 500 characters",
        "1 lines with hidden characters",
    } == set(found)
    assert ("206 rows of 3 columns", "first row: name, age, note") == profile(file("a.csv", odd)).facts


@given(
    st.binary(max_size=400),
    st.sampled_from(["a.csv", "a.tsv", "a.jsonl", "a.json", "a", "a.npy"]),
    st.booleans(),
)
def test_a_profile_never_fails(content: bytes, name: str, many: bool) -> None:
    """Whatever a file holds has a profile, and what could run never counts by it."""
    found = profile(file(name, content * 40 if many else content))
    assert not (found.executable and found.counts)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_the_profile_of_data_counts_as_reading_it(size: tuple[int, int]) -> None:
    """It is displayed above the bytes; the record says that it was a profile, and not every byte."""
    files = (file("data.csv", CSV), file("run.py", "print(1)\n"))
    async with open_console(FakeEngine(case("s-1", "1", files=files)), size=size) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, ReviewScreen)
        await until(pilot, lambda: screen._reader.recorder is not None)
        recorder = screen._reader.recorder
        assert isinstance(recorder, ReviewRecorder)
        await press(pilot, "v")
        await until(pilot, lambda: isinstance(app.screen, FilesScreen))
        await until(pilot, lambda: "201 rows of 3 columns" in frame(app))
        await until(pilot, lambda: 0 in recorder.file_reading.profiled)
        for _ in range(9):
            if isinstance(app.screen, FilesScreen):
                await press(pilot, "space")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen))
        assert ((1,), (0,)) == (recorder.record.files, recorder.record.profiles)
        assert () == coverage_gaps(recorder.case, recorder.record).files
    assert 0 == QUICK.reading_seconds
