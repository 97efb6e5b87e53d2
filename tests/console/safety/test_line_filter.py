"""The filter of unsafe text on every line of the app."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.color import Color
from textual.content import Content
from textual.widgets import Static

from console.app.app import ConsoleApp
from console.safety.line_filter import UnsafeTextFilter
from engine.common.text import visible
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, until

BLACK = Color(0, 0, 0)


def test_stray_characters_and_links_are_taken_off_a_line() -> None:
    """A cell that holds what is not displayed is `?`; the link of a style goes; the rest stays."""
    style = Style(bold=True, link="https://evil.example")
    line = [Segment("a\x1b]0;x\x07b\x9b\u202e\u200b\U000e0041c", style)]
    cleaned = UnsafeTextFilter().apply(line, BLACK)
    assert ["?]0;??c"] == [segment.text for segment in cleaned]
    assert [None] == [segment.style.link for segment in cleaned if segment.style]
    assert [True] == [segment.style.bold for segment in cleaned if segment.style]


def test_a_cell_of_a_picture_is_none_within_text() -> None:
    """The placeholder of kitty's pictures is drawn by the console alone, never beside text."""
    ((cleaned, _, _),) = UnsafeTextFilter().apply([Segment("x\U0010eeee\x1by")], BLACK)
    assert "\U0010eeee" not in cleaned
    assert cleaned.startswith("x")


def test_a_clean_line_is_left_as_it_is() -> None:
    """A line with nothing to take off is the same line."""
    line = [Segment("plain"), Segment("über 漢", Style(color="red"))]
    assert line is UnsafeTextFilter().apply(line, BLACK)


def test_the_toolkit_asks_every_widget_for_its_filters() -> None:
    """The console overrides the method that the toolkit calls; its documents call it internal."""
    assert App.get_line_filters is not ConsoleApp.get_line_filters
    assert isinstance(ConsoleApp(preferences=None).get_line_filters()[-1], UnsafeTextFilter)


@given(st.text(st.characters(codec=None)))
def test_a_line_keeps_its_width(text: str) -> None:
    """The toolkit has placed the rest of the screen by the width that it counts."""
    ((cleaned, _, _),) = UnsafeTextFilter().apply([Segment(text, control=None)], BLACK)
    assert cell_len(text) == cell_len(cleaned)
    assert cleaned == visible(cleaned)


async def test_a_widget_that_shows_unsafe_text_cannot_control_the_terminal() -> None:
    """Raw text in a stock widget reaches the frame without its escape."""
    async with open_console(FakeEngine()) as (app, pilot):
        raw = Content("raw\x1b]52;c;UFdO\x07end", strip_control_codes=False)

        def shown() -> bool:
            app.screen.query_one("#app-header", Static).update(raw)
            assert "\x1b]52" not in frame(app)
            return "ra?]52;c;UFd?end" in frame(app)

        await until(pilot, shown)
