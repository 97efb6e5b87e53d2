"""The colours of code: the same however little of it is read at a time, and no more than is looked at."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from console.code_view.colours import LineColours
from console.theming.highlight import highlight

PYTHON = st.lists(
    st.sampled_from(['x = """a', 'b"""', "def f():  # é", "", "\t漢 = 1\r", "'\u2028'"]), max_size=30
)


@settings(deadline=None, max_examples=30)
@given(PYTHON, st.integers(0, 40))
def test_what_is_read_in_parts_is_what_is_read_at_once(lines: list[str], part: int) -> None:
    """A string over several lines, or a line end that is none, shifts no colour."""
    code = "\n".join(lines)
    colours = LineColours(code, "python")
    while not colours.read(part, 0.001):
        pass
    expected = highlight(code, "python")
    assert expected[: len(colours.tokens)] == colours.tokens
    assert len(expected) == code.count("\n") + 1
    while not colours.read(len(expected), 0.001):
        pass
    assert expected == colours.tokens


def test_lines_that_nobody_looks_at_are_not_read() -> None:
    """Of much code only the first lines are coloured until somebody scrolls."""
    colours = LineColours("x = 1\n" * 5000, "python")
    assert colours.read(20, 60)
    assert 21 == len(colours.tokens)
    assert not colours.known(21)


def test_code_of_no_known_language_is_read_as_well() -> None:
    """Without a lexer every line is there, without colours."""
    colours = LineColours("a\nb", "")
    assert colours.read(1, 60)
    assert [[], []] == colours.tokens
