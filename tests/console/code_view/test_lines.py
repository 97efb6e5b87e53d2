"""How code becomes rows: all of it, on the right columns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from console.code_view.lines import find, marks_of, pieces, split_lines, wrap
from engine.models import Level, Span
from tests.console.support.fake_engine import span, violation

CODE = st.text(st.one_of(st.characters(codec=None), st.sampled_from("\t\n漢\u202e\u0301 x")), max_size=200)


@given(CODE, st.integers(8, 40))
def test_every_character_is_on_exactly_one_row(code: str, width: int) -> None:
    """Wrapping loses nothing and shows nothing twice, however odd the text."""
    lines = split_lines(code)
    rows = wrap(lines, width)
    again = [
        "".join(lines[row.line][row.start : row.end] for row in rows if row.line == n)
        for n in range(len(lines))
    ]
    assert lines == again


@given(CODE, st.integers(8, 40))
def test_no_row_is_wider_than_the_screen(code: str, width: int) -> None:
    """What a row shows fits, stand-ins and wide characters included."""
    lines = split_lines(code)
    for row in wrap(lines, width):
        assert width >= sum(cell_len(text) for _, text, _ in pieces(lines[row.line], row))


def test_only_a_line_feed_ends_a_line() -> None:
    """Line numbers agree with the interpreter: form feeds and Unicode separators end no line."""
    assert ["a\x0b\x0cb\x1cc\x85d\u2028e", "f"] == split_lines("a\x0b\x0cb\x1cc\x85d\u2028e\nf\n")


def test_a_mark_lies_on_the_characters_of_its_span() -> None:
    """Columns are characters, from 1, the end exclusive, also behind wide characters."""
    line = "s='ä你'; eval(s)"
    at = line.index("eval") + 1
    marks = marks_of((violation(span(1, at, at + 4)),), [line])
    assert "eval" == line[marks[0][0].start : marks[0][0].end]


def test_a_span_over_lines_marks_each_of_them() -> None:
    """The first from its column, those between whole, the last up to its column."""
    over = Span(line=1, column=3, end_line=3, end_column=2)
    marks = marks_of((violation(over),), ["abcd", "efgh", "ijkl"])
    assert [(2, 4), (0, 4), (0, 1)] == [(marks[n][0].start, marks[n][0].end) for n in range(3)]


def test_a_span_that_lies_nowhere_marks_the_last_line() -> None:
    """A violation whose span is past the end, or empty, is marked where a person sees it."""
    beyond = Span(line=9, column=9, end_line=9, end_column=9)
    assert [1] == list(marks_of((violation(beyond),), ["abc", "d"]))


def test_the_gravest_mark_is_painted_last() -> None:
    """Where violations overlap, the worst one is seen."""
    mild, grave = violation(span(1, 1, 3), level=Level.LOW), violation(span(1, 1, 3), level=Level.CRITICAL)
    assert Level.CRITICAL is marks_of((grave, mild), ["abc"])[0][-1].level


def test_search_takes_words_as_they_are() -> None:
    """Capitals do not matter, and no character of the words means anything else."""
    assert [(0, 2, 5), (1, 0, 3)] == find(["a [X]", "[x] b"], "[x]")
