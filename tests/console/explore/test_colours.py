"""Syntax colours while one types: at once for a short text, line by line and then whole for a long one."""

from __future__ import annotations

import random

import pytest

from console.explore.editing.colours import AT_ONCE_CHARACTERS, MOST_CHARACTERS, EditedColours
from console.theming.highlight import highlight
from engine.models import Language

PIECES = ("x = 1", "'''", "f(a)  # b", '"""', "'open", "", "def f(x):", "y \\")
LONG = [f"value_{number} = '{number}'  # {number}" for number in range(AT_ONCE_CHARACTERS // 10)]


def test_a_short_text_has_its_colours_at_once() -> None:
    """All of them, whatever changed."""
    colours = EditedColours()
    lines = ["x = '''", "y", "'''"]
    assert not colours.edited(lines, Language.PYTHON)
    assert highlight("\n".join(lines), Language.PYTHON) == colours.tokens


async def test_a_long_text_has_all_its_colours_after_a_pause() -> None:
    """A text that opens over lines is wrong until then."""
    colours = EditedColours()
    lines = ["x = '''", *LONG, "'''"]
    assert colours.edited(lines, Language.PYTHON)
    assert await colours.all_of()
    assert highlight("\n".join(lines), Language.PYTHON) == colours.tokens
    assert not colours.edited(list(lines), Language.PYTHON)


async def test_changed_lines_are_coloured_by_themselves_and_the_others_keep_theirs() -> None:
    """After any edit of code without texts over several lines, the colours are those of the whole."""
    chance, colours, lines = random.Random(7), EditedColours(), list(LONG)  # noqa: S311
    colours.edited(lines, Language.PYTHON)
    await colours.all_of()
    for _ in range(60):
        first = chance.randrange(len(lines))
        lines = (
            lines[:first] + chance.choices(LONG, k=chance.randrange(4)) + lines[first + chance.randrange(4) :]
        )
        colours.edited(lines, Language.PYTHON)
        assert highlight("\n".join(lines), Language.PYTHON) == colours.tokens


@pytest.mark.parametrize("many", [MOST_CHARACTERS, MOST_CHARACTERS // 20])
def test_what_is_pasted_is_not_waited_for(many: int) -> None:
    """A very long text has no colours, and a long one none at first."""
    colours = EditedColours()
    colours.edited(["x" * 15] * (many // 8), Language.PYTHON)
    assert not any(colours.tokens)


async def test_another_language_has_other_colours() -> None:
    """Of the same text."""
    colours = EditedColours()
    colours.edited(LONG, Language.PYTHON)
    await colours.all_of()
    assert colours.edited(LONG, Language.JAVASCRIPT)
    assert await colours.all_of()
    assert highlight("\n".join(LONG), Language.JAVASCRIPT) == colours.tokens


async def test_what_is_said_to_be_right_is_right() -> None:
    """Whatever is edited: where nothing has to follow, the colours are those of the whole text."""
    chance, colours, lines = random.Random(11), EditedColours(), list(LONG)  # noqa: S311
    for _ in range(150):
        first = chance.randrange(len(lines))
        lines = lines[:first] + chance.choices(PIECES, k=2) + lines[first + chance.randrange(4) :]
        if colours.edited(lines, Language.PYTHON) and chance.random() < 0.3:
            await colours.all_of()
        elif colours._exact:
            assert highlight("\n".join(lines), Language.PYTHON) == colours.tokens
