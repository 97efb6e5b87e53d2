"""A guest cannot hide what it writes by the colours that it chooses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style
from textual._ansi_theme import ALABASTER, MONOKAI

from console.run.terminal import segments
from console.safety.contrast import LEAST_CONTRAST, _contrast, readable
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import frame, open_console, press, until

DARK = Style.parse("#d6dee9 on #0f141b")
LIGHT = Style.parse("#20262e on #ffffff")
BYTES = st.tuples(*[st.integers(0, 255)] * 3).map(lambda rgb: ";".join(map(str, rgb)))


@pytest.mark.parametrize(
    ("base", "theme", "codes"),
    [(DARK, MONOKAI, "30"), (DARK, MONOKAI, "38;2;15;20;27"), (DARK, MONOKAI, "38;5;233"),
     (LIGHT, ALABASTER, "38;2;255;255;255"), (LIGHT, ALABASTER, "38;5;15")],
)  # fmt: skip
def test_text_in_the_colour_of_the_screen_is_drawn_in_the_ordinary_one(
    base: Style, theme: object, codes: str
) -> None:
    """What would melt into the background is seen."""
    (drawn,) = readable(segments(f"\x1b[{codes}mhidden", base), base, theme)  # type: ignore[arg-type]
    assert ("hidden", base.color) == (drawn.text, drawn.style.color if drawn.style else None)


def test_colours_that_can_be_seen_stay() -> None:
    """Red is red, and so is black on a background that the guest paints itself."""
    for codes in ("31", "30;42", "7", "38;2;90;120;200"):
        line = segments(f"\x1b[{codes}mshown", DARK)
        assert line == readable(line, DARK, MONOKAI)


@given(BYTES, BYTES)
def test_every_pair_of_colours_of_a_guest_is_made_readable(colour: str, behind: str) -> None:
    """Text and background differ by the least contrast at least."""
    (drawn,) = readable(segments(f"\x1b[38;2;{colour};48;2;{behind}mtext", DARK), DARK, MONOKAI)
    assert drawn.style
    assert drawn.style.color
    assert drawn.style.bgcolor
    assert LEAST_CONTRAST <= _contrast(drawn.style.color, drawn.style.bgcolor, MONOKAI)


async def test_no_list_is_called_empty_while_the_engine_is_away() -> None:
    """Queue and runs say that the engine is offline, and not that they are empty."""
    async with open_console(FakeEngine()) as (app, pilot):
        await until(pilot, lambda: "Queue is empty" in frame(app))
        app.connection_state = "offline"
        await until(pilot, lambda: "Engine offline." in frame(app))
        await press(pilot, "2")
        await until(pilot, lambda: "Engine offline." in frame(app))
        app.connection_state = "connected"
        await until(pilot, lambda: "No runs." in frame(app))
