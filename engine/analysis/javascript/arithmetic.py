"""Sums of texts and numbers."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis.javascript.values import NOTHING, UNKNOWN, JavaScriptValue, text, unknown


def sum_of(values: list[JavaScriptValue]) -> JavaScriptValue:
    """Return the sum of numbers, or the text that the values are joined to."""
    if all(value.kind == "number" for value in values):
        return JavaScriptValue("number", _shown(sum(float(value.text) for value in values)))
    if not any(value.kind == "text" for value in values):
        return unknown(*values)
    parts = [value.text if value.kind in {"text", "number"} else UNKNOWN for value in values]
    return text("".join(parts), *values)


def arithmetic(operator: str, left: JavaScriptValue, right: JavaScriptValue) -> JavaScriptValue:
    """Return the result of an operator on two known numbers."""
    work = _OPERATORS.get(operator)
    if work is None or left.kind != "number" or right.kind != "number":
        return unknown(left, right) if left.taints or right.taints else NOTHING
    try:
        return JavaScriptValue("number", _shown(work(float(left.text), float(right.text))))
    except (ValueError, ZeroDivisionError, OverflowError):
        return NOTHING


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > 64 or abs(base) > 1e6:
        raise OverflowError("too large to matter")
    return float(base**exponent)


_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
    "^": lambda a, b: int(a) ^ int(b),
    "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b),
    ">>": lambda a, b: int(a) >> min(max(int(b), 0), 64),
    "<<": lambda a, b: int(a) << min(max(int(b), 0), 64),
    "**": _power,
}


def _shown(number: float) -> str:
    return str(int(number)) if abs(number) < 1e300 and number == int(number) else str(number)
