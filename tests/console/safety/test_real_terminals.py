"""tmux and xterm draw every text that is displayed in as many cells as the console counts."""

from __future__ import annotations

import random
from pathlib import Path

import emoji
import pytest
from rich.cells import cell_len

from console.safety.text import visible_text
from engine.common.text import visible
from tests.console.safety.test_repertoire import CLASSES, NARROW, WIDE
from tests.console.support.harness import frame, open_console
from tests.console.support.hostile_engine import hostile
from tests.console.support.payloads import PAYLOADS
from tests.console.support.real_terminals import cell_widths, screen_of, skip_without

pytestmark = pytest.mark.terminal
TERMINALS = pytest.mark.parametrize("terminal", ["tmux", "xterm"])
FULL = 100
"""Cells that fit on a line of the terminals here."""


def clipped(text: str) -> str:
    """Return what is displayed of a text, as much as fits on a line."""
    shown = visible_text(text)
    while cell_len(shown) > FULL:
        shown = shown[: len(shown) // 2]
    return shown


@TERMINALS
def test_every_character_of_the_repertoire_has_its_width(terminal: str, tmp_path: Path) -> None:
    """All 112,000, each alone, by the place of the cursor after it."""
    skip_without(terminal)
    texts = [chr(code) for code in sorted(NARROW | WIDE)]
    widths = cell_widths(terminal, texts, tmp_path)
    assert [] == [
        f"{ord(text):X}"
        for text, width in zip(texts, widths, strict=True)
        if width != 1 + (ord(text) in WIDE)
    ]


@TERMINALS
def test_every_text_has_the_width_that_the_console_counts(terminal: str, tmp_path: Path) -> None:
    """Emoji sequences, members of every class beside each other, payloads, and random texts."""
    skip_without(terminal)
    chosen = random.Random(7)  # noqa: S311  the same texts every time
    members = "".join(CLASSES.values()) + "a1 é漢한👨❤क"
    mixed = ["".join(chosen.choices(members, k=12)) for _ in range(2_000)]
    any_text = ["".join(chr(chosen.randrange(0x110000)) for _ in range(8)) for _ in range(2_000)]
    shown = [clipped(text) for text in (*emoji.EMOJI_DATA, *mixed, *any_text, *PAYLOADS.values())]
    assert list(map(cell_len, shown)) == cell_widths(terminal, shown, tmp_path)


@TERMINALS
async def test_a_frame_is_drawn_cell_by_cell_as_it_was_laid_out(terminal: str, tmp_path: Path) -> None:
    """Review with hostile text in every field: nothing of a line is missing, moved or left over."""
    skip_without(terminal)
    size = (150, 60)
    async with open_console(hostile("\n".join(PAYLOADS.values()), *PAYLOADS.values()), size) as (app, _):
        emitted = frame(app)
        laid_out = [line.text.rstrip() for line in app.screen._compositor.render_strips()]
    drawn = screen_of(terminal, emitted, size, tmp_path)
    assert "AAA" in "".join(laid_out)
    assert laid_out == drawn
    assert all(line == visible(line) for line in drawn)
