"""Indentation and comments while typing: pure functions over lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.models import Language

OPENS = {
    Language.PYTHON: re.compile(r"[:([{]\s*$"),
    Language.JAVASCRIPT: re.compile(r"[([{]\s*$|=>\s*$"),
    Language.SHELL: re.compile(r"(?:[({]|\b(?:then|do|else|in))\s*$"),
}
"""What a line ends with if the next one is indented further."""
COMMENT = {Language.PYTHON: "#", Language.JAVASCRIPT: "//", Language.SHELL: "#"}
WIDTH = {Language.PYTHON: 4, Language.JAVASCRIPT: 2, Language.SHELL: 2}
"""Blanks of one level where the code does not show its own."""


def next_indentation(before: str, language: Language) -> str:
    """Return the blanks with which the line after `before`, the text left of the cursor, begins."""
    blanks = before[: len(before) - len(before.lstrip(" \t"))]
    if not OPENS[language].search(before):
        return blanks
    return blanks + ("\t" if blanks.endswith("\t") else " " * WIDTH[language])


def step_back(before: str, language: Language) -> int:
    """Return how many characters Backspace takes: of an indentation one level, as far as it is blanks."""
    if not before or before.strip(" ") or before[-1] != " ":
        return 1
    return (len(before) - 1) % WIDTH[language] + 1


def toggle_comments(lines: Sequence[str], language: Language) -> list[str]:
    """Return the lines as comments; as code again where all but the empty ones are comments already."""
    sign = COMMENT[language]
    full = [line for line in lines if line.strip()]
    if all(line.lstrip().startswith(sign) for line in full):
        return [_code(line, sign) for line in lines]
    column = min((len(line) - len(line.lstrip()) for line in full), default=0)
    return [f"{line[:column]}{sign} {line[column:]}" if line.strip() else line for line in lines]


def _code(line: str, sign: str) -> str:
    at = line.find(sign)
    if at < 0:
        return line
    rest = line[at + len(sign) :]
    return line[:at] + rest.removeprefix(" ")
