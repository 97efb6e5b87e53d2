"""Text made to break the display: bounded by PRATIQUE_FUZZ_SECONDS, and never the same twice."""

from __future__ import annotations

import os
import random
import time

import emoji
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from console.code_view.lines import pieces, split_lines, width_of, wrap
from console.run.terminal import folded, segments
from console.safety.line_filter import UnsafeTextFilter
from console.safety.text import clip, pad, visible_text, wrapped_parts
from engine.cli.output.formatting import displayed
from engine.common.text import visible
from engine.common.unicode import tables
from engine.common.unicode.repertoire import outside
from tests.console.safety.test_repertoire import CLASSES, codes

SECONDS = float(os.environ.get("PRATIQUE_FUZZ_SECONDS", "5"))
JOINING = [chr(code) for code in codes(tables.JOINING)]
HIDDEN = [chr(code) for code in codes(tables.HIDDEN)]
MEMBERS = list("".join(CLASSES.values()))
EMOJI = list(emoji.EMOJI_DATA)
PLAIN = [*"aé1漢한क👨\t\r\b[]⟨⟩ ", "\x1b[31m", "\x1b[K", "\x1b[8m", "⟨200B⟩", "[/]", "$x"]


def hostile_text(chosen: random.Random) -> str:
    """Return a text of pieces that join, hide, move or look like marks."""
    sources = (JOINING, HIDDEN, MEMBERS, EMOJI, PLAIN)
    any_code = [chr(chosen.randrange(0x110000)) for _ in range(3)]
    size = chosen.choice((3, 20, 200))
    return "".join(chosen.choice(chosen.choice((*sources, any_code))) for _ in range(size))


def check(text: str, width: int) -> None:
    """Check every way by which a text comes to a screen."""
    line = text.replace("\n", "")
    drawn = [Segment(text), *segments(line, Style.null())]
    (_, *output) = drawn
    shown = [
        visible(text),
        visible_text(text),
        clip(text, width),
        *(word for words in wrapped_parts([text], width) for word, _ in words),
        *(piece.text for piece in output),
        *(piece.text for row in folded(output, width) for piece in row),
        *(piece.text for piece in UnsafeTextFilter().apply([Segment(text)], Color(0, 0, 0))),
    ]
    assert [] == [one for one in shown if outside().search(one)]
    assert width == cell_len(pad(text, width))
    assert None is outside().search(
        displayed(text).replace("\x1b[31m", "").replace("\n", "").replace("\t", "")
    )
    check_code(text, width)


def check_code(text: str, width: int) -> None:
    """Check that the rows of a code hold each character once, in its place, and fit."""
    lines = split_lines(text)
    rows = wrap(lines, width)
    for number, line in enumerate(lines):
        parts = [part for row in rows if row.line == number for part in pieces(line, row)]
        assert width_of(line) == sum(cell_len(shown) for _, shown, _ in parts)
        assert line == "".join(line[row.start : row.end] for row in rows if row.line == number)
    assert all(
        width >= sum(cell_len(shown) for _, shown, _ in pieces(lines[row.line], row))
        or row.end == row.start + 1
        for row in rows
    )


def test_no_text_breaks_the_display() -> None:
    """In every way to a screen, texts stay within the repertoire, and as wide as they are counted."""
    seed = random.randrange(2**32)  # noqa: S311  nothing secret: it is in the message of a failure
    chosen = random.Random(seed)  # noqa: S311
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        text, width = hostile_text(chosen), chosen.randrange(10, 90)
        try:
            check(text, width)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, width {width}: {text!r}") from error
