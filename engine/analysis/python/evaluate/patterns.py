"""Partly known strings: `"/etc/" + name` is `/etc/` and a hole."""

from __future__ import annotations

from typing import Final

from engine.analysis.python.evaluate.fold import MAX_TEXT
from engine.analysis.python.evaluate.values import PythonValue, taint_of

HOLE: Final = "\ufffc"
"""In a pattern: text that is known only at run time."""


_NUMBERS = (int, float)


def pattern_of(value: PythonValue | None) -> str:
    """Return the text of a value, with a hole for what is unknown."""
    if value is None:
        return HOLE
    if isinstance(value.const, str):
        return value.const
    if isinstance(value.const, _NUMBERS):
        return str(value.const)
    if value.items is not None and "pattern" in value.items:
        pattern = value.items["pattern"]
        return str(pattern.const) if pattern is not None else HOLE
    return HOLE


def pattern(text: str, *parents: PythonValue | None) -> PythonValue:
    """Return the value of a partly known text, with the taints and layers of its parts."""
    value = PythonValue(taint=taint_of(*parents))
    value.items = {"pattern": PythonValue(text[:MAX_TEXT])}
    for parent in parents:
        if parent is not None:
            value.trail = value.trail or parent.trail
            value.layers = value.layers or parent.layers
    return value


def shown(text: str) -> str:
    """Return a pattern as people read it, with an ellipsis in each hole."""
    return text.replace(HOLE, "…")


def path_below(upper: PythonValue | None, lower: PythonValue | None) -> PythonValue:
    """Return the path object that `upper / lower` gives."""
    first, second = pattern_of(upper), pattern_of(lower)
    text = second if second.startswith("/") else f"{first.rstrip('/')}/{second}"
    value = PythonValue(name="pathlib.Path()", taint=taint_of(upper, lower))
    if HOLE not in text:
        value.const = text
    elif text.strip(HOLE + "/"):
        value.items = {"pattern": PythonValue(text[:MAX_TEXT])}
    return value
