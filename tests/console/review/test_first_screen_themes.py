"""The first screen of Review in every shipped theme and at three sizes: readable, and nothing missing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rich.segment import Segment
from textual._compositor import LayoutUpdate

from console.app.app import ConsoleApp
from console.app.preferences import Preferences
from console.theming import theme
from tests.console.review.test_answer import plain
from tests.console.review.test_first_screen import CASES, SIZES, missing, settled
from tests.console.support.fake_engine import FakeEngine
from tests.console.support.harness import open_console, until
from tests.console.support.hidden_acts import EVERY
from tests.console.theming.test_themes import contrast

THEMES = sorted(path.stem for path in theme.shipped().glob("*.yaml"))
LEAST = 4.5
"""The contrast that WCAG 2 asks of text."""


def drawn(app: ConsoleApp) -> Iterator[Segment]:
    """Yield what is on screen, with its colours."""
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    assert isinstance(update, LayoutUpdate)
    for line in update.strips:
        for strip in line:
            yield from strip


def hex_of(segment: Segment) -> tuple[str, str]:
    """Return the colours of text and background; empty where the terminal's own are used."""
    style = segment.style
    colours = (style.color, style.bgcolor) if style else (None, None)
    if style and style.reverse:
        colours = (colours[1], colours[0])
    text, behind = (each.triplet.hex if each and each.triplet else "" for each in colours)
    return text, behind


def unreadable(app: ConsoleApp) -> list[tuple[str, str, str]]:
    """Return texts that hardly differ from what is behind them; borders and signs are no texts."""
    found = []
    for segment in drawn(app):
        text, behind = hex_of(segment)
        told = any(letter.isalnum() for letter in segment.text)
        if told and text and behind and contrast(text, behind) < LEAST:
            found.append((segment.text.strip(), text, behind))
    return found


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", THEMES)
async def test_the_first_screen_is_readable_in_every_theme(name: str, size: tuple[int, int]) -> None:
    """Every text has the contrast that text needs; the worst line and every effect are there."""
    preferences = Preferences(undo_seconds=0, reading_seconds=0, theme=name)
    async with open_console(FakeEngine(*CASES[:3]), size, preferences) as (app, pilot):
        await until(pilot, lambda: CASES[0].submission.id in plain(app))
        await settled(app, pilot)
        assert name == app.theme
        assert [] == unreadable(app)
        assert [] == missing(plain(app), EVERY[0], CASES[0])
