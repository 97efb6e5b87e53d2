"""Lines of code with every invisible character visible, in as many columns."""

from __future__ import annotations

from engine.common.text import mark


def one_for_one(line: str) -> str:
    """Return the line with each invisible character replaced by one visible character."""
    if line.isascii() and line.isprintable():
        return line
    return "".join(each if each == "\t" or mark(each) == each else _stand_in(each) for each in line)


def _stand_in(character: str) -> str:
    shown = mark(character)
    return shown if len(shown) == 1 else "\ufffd"
