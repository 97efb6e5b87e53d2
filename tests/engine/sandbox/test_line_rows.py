"""What a guest says of its lines is hostile: rows of numbers for lines that the code has, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.models.lines import LineMark
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.framing import FrameError
from engine.sandbox.guest_protocol.line_rows import LineRowsError, line_marks, split_report


@given(st.binary(max_size=300), st.integers(0, 9000))
def test_arbitrary_bytes_are_rows_in_order_or_refused(data: bytes, lines: int) -> None:
    """What is accepted names lines of the code, each once and in order."""
    try:
        marks = line_marks(data, lines)
    except LineRowsError:
        return
    numbers = [mark.line for mark in marks]
    assert sorted(set(numbers)) == numbers
    assert all(1 <= number <= lines for number in numbers)


@given(st.lists(st.tuples(*[st.integers(0, 2**32 - 1)] * 3), max_size=40))
def test_rows_are_read_as_they_were_written(rows: list[tuple[int, int, int]]) -> None:
    """Every row comes back."""
    marks = tuple(LineMark(number, *row) for number, row in enumerate(rows, 1))
    data = b"".join(b"%d %d %d %d\n" % mark for mark in marks)
    assert marks == line_marks(data, len(rows))
    report = ExitReport(0)
    report.feed(b"0 0 0 0 0\nlines %d\n%bleft 0\n" % (len(data), data))
    assert (data, True) == (report.lines, report.complete)


REFUSED = (
    *("1 1 0 0", "0 1 0 0\n", "2 1 0 0\n1 1 0 0\n", "1 1 0 0\n1 1 0 0\n", "11 1 0 0\n", "1 -1 0 0\n", "\n"),
    *("\N{FULLWIDTH DIGIT ONE} 1 0 0\n", "1 1 0 99999999999\n", "1  1 0 0\n", "1 1 0 0\r\n"),
)


@pytest.mark.parametrize("data", REFUSED)
def test_rows_that_no_supervisor_sends_are_refused(data: str) -> None:
    """A row is four decimal numbers, for a line that exists, once."""
    with pytest.raises(LineRowsError):
        line_marks(data.encode(), 10)


def test_rows_that_come_twice_end_the_report() -> None:
    """A second table, and one that is too large, are refused."""
    report = ExitReport(0)
    with pytest.raises(FrameError):
        report.feed(b"0 0 0 0 0\nlines 0\nlines 0\n")
    with pytest.raises(FrameError):
        ExitReport(0).feed(b"0 0 0 0 0\nlines 999999\n")


@given(st.binary(max_size=200))
def test_what_is_said_while_it_runs_is_text_or_refused(item: bytes) -> None:
    """A stack never holds a zero, and is bounded."""
    try:
        _, stack = split_report(b"lines\n1 1 0 0\nstack\n" + item)
    except LineRowsError:
        return
    assert "\0" not in stack
