"""Output as a terminal would show it, without letting it be one."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from console.run.terminal import collapse, segments

STRAY = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\ud800-\udfff]")
SEQUENCES = [
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[2J",
    "\x1b]0;x\x07",
    "\x1b[38;5;300m",
    "\x1b[38;2;1;2;3m",
    "\x1b[;m",
]
PIECES = st.lists(st.sampled_from([*SEQUENCES, "\x1b[38m", "\r", "\b", "\t", "ab", "漢", "\x9b", "\u202e"]))


def text(line: str) -> str:
    """Return what is shown of a line."""
    return "".join(segment.text for segment in segments(line, Style.null()))


@given(st.one_of(st.text(st.characters(codec=None)), PIECES.map("".join)))
def test_nothing_but_printable_text_is_drawn(line: str) -> None:
    """Whatever a guest writes, no control reaches a segment."""
    assert [] == STRAY.findall(text(line.replace("\n", "")))


def test_colours_are_honoured_and_end_with_the_line() -> None:
    """SGR makes colours and is not shown itself."""
    red, plain = segments("\x1b[1;31mred\x1b[0mplain", Style.null())
    assert ("red", Style(color="red", bold=True)) == (red.text, red.style)
    assert ("plain", Style.null()) == (plain.text, plain.style)


def test_other_sequences_are_shown_as_what_they_are() -> None:
    """An escape that is no colour stands there, harmless."""
    assert "a␛]52;c;UFdO␇b" == text("a\x1b]52;c;UFdO\x07b")
    assert "␛[2J" == text("\x1b[2J")


def test_a_progress_bar_shows_its_last_state() -> None:
    """A carriage return writes over the line, as a terminal would."""
    assert "100%" == text(" 10%\r 50%\r100%")
    assert "xy3456" == text("123456\rxy")
    assert "done" == text("done\r")


def test_a_line_that_was_written_over_is_kept_short() -> None:
    """Of a thousand states of a progress bar only the last is kept."""
    assert "\r 99%" == collapse("".join(f"\r{n:3}%" for n in range(100)))
    assert "as it was" == collapse("as it was")
