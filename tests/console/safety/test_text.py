"""Text made safe to display."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from console.safety.text import (
    LONGEST,
    Part,
    clip,
    content,
    first_line,
    hanging,
    pad,
    visible_text,
    wrapped_parts,
)
from engine.common.text import Untrusted

STRAY = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")


@given(st.text(st.characters(codec=None)))
def test_safe_text_cannot_control_a_terminal(text: str) -> None:
    """Whatever comes in, what comes out has no control, bidi, zero-width or surrogate character."""
    assert [] == STRAY.findall(visible_text(Untrusted(text)))
    assert [] == STRAY.findall(content(Untrusted(text), (text, "bold")).plain)


@given(st.text(), st.integers(1, 40))
def test_a_padded_text_is_exactly_as_wide_as_asked(text: str, cells: int) -> None:
    """Columns stand, whatever an agent calls itself."""
    assert cells == cell_len(pad(Untrusted(text), cells))


def test_markup_stays_text() -> None:
    """Brackets are brackets, and give no style."""
    text = content("[bold]x[/bold][/] $primary [@click=quit]y[/]")
    assert "[bold]x[/bold][/] $primary [@click=quit]y[/]" == text.plain
    assert 0 == len(text.spans)


def test_a_storm_of_combining_characters_is_counted() -> None:
    """Two of a character that is marked are displayed, the rest are counted."""
    assert "e⟨0301⟩⟨0301⟩⟨+58⟩" == visible_text("e" + "\u0301" * 60)
    assert "é\n\n\n\n⟨200B⟩⟨200B⟩" == visible_text("é\n\n\n\n\u200b\u200b", keep="\n")


def test_what_is_left_out_is_said() -> None:
    """A text too long for a panel says how much of it is missing."""
    text = content(Untrusted("x" * (LONGEST + 1234))).plain
    assert text.endswith(" … and 1,234 more characters")


def test_a_clipped_text_says_so() -> None:
    """A clipped text ends with an ellipsis and is no wider than its room."""
    assert "漢…" == clip("漢字漢字", 4)
    assert "" == clip("abc", 0)


def test_the_first_line_is_the_first_with_something_on_it() -> None:
    """Blank lines before the code do not hide it."""
    assert "import os" == first_line(Untrusted("\n\n  import os\nx"))


@given(st.lists(st.text()), st.integers(2, 40))
def test_broken_lines_hold_all_words_and_fit(texts: list[str], cells: int) -> None:
    """Nothing is lost where a line is broken, and only blanks run past its end."""
    lines = wrapped_parts([(Untrusted(text), "bold") for text in texts], cells)
    words = ["".join(text for text, _ in line) for line in lines]
    assert "".join(map(visible_text, map(Untrusted, texts))) == "".join(words)
    assert all(cell_len(line.rstrip()) <= cells for line in words)


@given(st.text(), st.integers(20, 60))
def test_what_is_said_of_a_label_stays_beside_it(text: str, cells: int) -> None:
    """Every line after the first begins below the text, fits, and no character is lost."""
    lines = [
        "".join(_text(part) for part in line)
        for line in hanging([("name  ", "muted"), Untrusted(text)], cells)
    ]
    assert visible_text(Untrusted(text)) == "".join(line[6:] for line in lines)
    assert {"name  ", *(["      "] if lines[1:] else [])} == {line[:6] for line in lines}
    assert all(cell_len(line.rstrip()) <= cells for line in lines)


def test_a_line_without_a_label_is_left_as_it_is() -> None:
    """Only a first part that ends in two blanks is a label."""
    assert [["a long line of words", " and more"]] == hanging(["a long line of words", " and more"], 8)


def _text(part: Part) -> str:
    text = part[0] if isinstance(part, tuple) else part
    return text.text if isinstance(text, Untrusted) else text
