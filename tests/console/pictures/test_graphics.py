"""The terminal's own graphics: made of pixels alone, where the terminal has them, on a real terminal line."""

from __future__ import annotations

import re
import sys
import zlib
from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.color import Color

from console.pictures.graphics import (
    FIRST_ID,
    NUMBERS,
    PLACEHOLDER,
    GraphicsMode,
    box,
    delete_image,
    graphics_mode,
    kitty,
    placeholders,
    sixel,
)
from console.pictures.pixels import Pixels
from console.safety.line_filter import UnsafeTextFilter
from tests.benchmarks.pty_console import PtyConsole
from tests.console.pictures.test_pictures import BLUE, RED, png

KITTY = re.compile(r"(?:\x1b_G[a-zA-Z0-9=,]*q=2,m=[01];[A-Za-z0-9+/=]{0,4096}\x1b\\)+")
SIXEL = re.compile(r'\x1bP0;1q"1;1;\d+;\d+(?:#\d+;2;\d+;\d+;\d+)+(?:[#!]\d+|[?-~$-])*\x1b\\')
PROGRAM = """
import sys
from textual.app import App
from console.app.notifications import TerminalNotifications
from console.app.preferences import Preferences
from console.run.picture import PictureView
class Tiny(App):
    preferences = Preferences(pictures=sys.argv[1])
    def __init__(self):
        super().__init__()
        self.terminal = TerminalNotifications(self)
    def compose(self):
        yield PictureView()
    def on_mount(self):
        self.query_one(PictureView).show(bytes.fromhex(sys.argv[2]))
Tiny().run()
"""


@st.composite
def pictures(draw: st.DrawFn) -> Pixels:
    """Make a small picture of any pixels."""
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 12))
    return Pixels(width, height, draw(st.binary(min_size=width * height * 3, max_size=width * height * 3)))


@given(pictures(), st.integers(1, 0xFFFFFF))
def test_what_is_sent_is_made_of_pixels_alone(pixels: Pixels, id: int) -> None:
    """Whatever the pixels are, harmless letters stand between our own brackets, and nothing is asked."""
    sent = kitty(pixels, id)
    assert KITTY.fullmatch(sent)
    packed = "".join(re.findall(r";([^;\x1b]*)\x1b\\", sent))
    assert pixels.data == zlib.decompress(b64decode(packed))
    assert SIXEL.fullmatch(sixel(pixels))
    assert re.fullmatch(r"\x1b_G[a-zA-Z0-9=,]*q=2\x1b\\", delete_image(id))


@given(pictures(), st.integers(1, 0xFFFFFF))
def test_placeholders_pass_the_filter_as_they_are(pixels: Pixels, id: int) -> None:
    """They are characters and a colour: the filter of every line leaves them, and they fill their cells."""
    lines = placeholders(pixels, id)
    assert (box(pixels)[0], box(pixels)[1]) == (lines[0].cell_length, len(lines))
    for line in lines:
        segments = list(line)
        assert segments == UnsafeTextFilter().apply(segments, Color(0, 0, 0))
        assert box(pixels)[0] == cell_len(segments[0].text)


def test_rows_and_columns_are_numbered_by_marks_of_no_width() -> None:
    """There are enough for the widest screen, each once, each drawn over its placeholder."""
    assert len(NUMBERS) == len(set(NUMBERS)) >= 200
    assert [1] * len(NUMBERS) == [cell_len(PLACEHOLDER + each) for each in NUMBERS]


@pytest.mark.parametrize(
    ("wanted", "environment", "expected"),
    [
        ("auto", {"TERM": "xterm-kitty"}, GraphicsMode.KITTY),
        ("auto", {"TERM": "xterm-kitty", "TMUX": "/tmp/tmux"}, GraphicsMode.CELLS),
        ("auto", {"TERM": "foot"}, GraphicsMode.SIXEL),
        ("auto", {"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, GraphicsMode.SIXEL),
        ("auto", {"TERM": "xterm-256color"}, GraphicsMode.CELLS),
        ("auto", {}, GraphicsMode.CELLS),
        ("cells", {"TERM": "xterm-kitty"}, GraphicsMode.CELLS),
        ("sixel", {"TERM": "screen", "TMUX": "/tmp/tmux"}, GraphicsMode.SIXEL),
    ],
)
def test_what_a_terminal_has_is_known_without_asking_it(
    wanted: str, environment: dict[str, str], expected: GraphicsMode
) -> None:
    """It is detected by its environment, and never inside a multiplexer unless the user sets it."""
    assert expected == graphics_mode(wanted, environment)


TWO = Pixels(2, 1, bytes(RED + BLUE))


@pytest.mark.parametrize(
    ("wanted", "sequences"),
    [("kitty", (kitty(TWO, FIRST_ID), PLACEHOLDER)), ("sixel", (sixel(TWO),)), ("cells", ("▀",))],
)
def test_a_picture_reaches_a_terminal_whole(wanted: str, sequences: tuple[str, ...]) -> None:
    """On a real terminal line it arrives in one piece: what is to be drawn, and where."""
    picture = png(2, 1, b"\0" + bytes(RED) + bytes(BLUE))
    with PtyConsole([sys.executable, "-c", PROGRAM, wanted, picture.hex()], {}) as console:
        for each in sequences:
            console.see(each.encode())
