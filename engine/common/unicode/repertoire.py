"""The repertoire of the display: characters that every terminal draws alone, one or two cells wide.

Everything else is displayed as a mark: controls, combining characters, joiners, variation selectors, emoji
modifiers, flags, conjoining letters, letters that run from right to left, blanks other than the space,
private, unassigned and recent characters. Source: Unicode 15.0.0, UAX #9, #11, #29 and #31.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module

CONTROLS = "0-1F 7F-9F"
STRAY = "A0 1680 2000-200A 202F 205F 3000 D800-DFFF E000-F8FF F0000-10FFFF"
"""Blanks that look like others, surrogates, and characters that mean nothing to anybody else."""


def outside() -> re.Pattern[str]:
    """Return the pattern of one character that is not in the repertoire."""
    return _pattern("[^%s]", "NARROW", "WIDE")


def repeated() -> re.Pattern[str]:
    """Return the pattern of a marked character beyond ASCII and of its repetitions, from three on."""
    return _pattern("([^%s])\\1(\\1+)", "0-7F", "NARROW", "WIDE")


def hidden() -> re.Pattern[str]:
    """Return the pattern of one character that nobody sees, or that steers a terminal."""
    return _pattern("[%s]", "HIDDEN", CONTROLS, STRAY)


def invisible() -> re.Pattern[str]:
    """Return the pattern of characters that nobody sees, without control characters and blanks."""
    return _pattern("[%s]+", "HIDDEN")


def joining() -> re.Pattern[str]:
    """Return the pattern of characters that join their neighbours, or are drawn over them."""
    return _pattern("[%s]+", "JOINING")


def right_to_left() -> re.Pattern[str]:
    """Return the pattern of letters and digits that reorder a line."""
    return _pattern("[%s]+", "RIGHT_TO_LEFT")


@cache
def _pattern(form: str, *tables: str) -> re.Pattern[str]:
    """Compile a set of characters from tables, by name, and ranges."""
    words = " ".join(_table(each) if each.isidentifier() else each for each in tables).split()
    return re.compile(form % "".join(_range(word) for word in words))


def _table(name: str) -> str:
    """Load the tables only once text beyond ASCII needs them."""
    return str(getattr(import_module("engine.common.unicode.tables"), name))


def _range(word: str) -> str:
    first, _, last = word.partition("-")
    return f"\\U{int(first, 16):08x}" + (f"-\\U{int(last, 16):08x}" if last else "")
