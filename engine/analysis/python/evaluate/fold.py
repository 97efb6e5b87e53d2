"""Computes constants as Python would, within limits and without running any foreign code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from engine.analysis.python.evaluate.values import NOTHING
from engine.analysis.python.word_lists import words

MAX_TEXT = 200_000
_MAX_BITS = 4096

Numbers = int | float
SEQUENCES = (str, bytes, list, tuple)


def _power(left: Any, right: Any) -> Any:
    if isinstance(right, int | float) and isinstance(left, int | float):
        bits = left.bit_length() if isinstance(left, int) else 64
        if abs(right) * bits > _MAX_BITS:
            return NOTHING
        return left**right
    return NOTHING


def _multiply(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, SEQUENCES):
            small = isinstance(count, int) and len(sequence) * count <= MAX_TEXT
            return sequence * count if small else NOTHING
    return _bounded(left * right)


def _shift(left: Any, right: Any) -> Any:
    return left << right if isinstance(right, int) and right <= _MAX_BITS else NOTHING


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, SEQUENCES) and len(left) + len(right) > MAX_TEXT:
        return NOTHING
    return left + right


def _percent(left: Any, right: Any) -> Any:
    if isinstance(left, str | bytes):
        return _bounded(left % right) if _small_format(left) else NOTHING
    return left % right


def _bounded(value: Any) -> Any:
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return NOTHING
    if isinstance(value, SEQUENCES) and len(value) > MAX_TEXT:
        return NOTHING
    return value


def _small_format(text: str | bytes) -> bool:
    """Widths are digits: `%999999999d` would be a bomb."""
    raw = text.encode("utf-8", "replace") if isinstance(text, str) else text
    run = 0
    for byte in raw:
        run = run + 1 if 48 <= byte <= 57 else 0
        if run > 4:
            return False
    return b"*" not in raw


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: _add,
    ast.Sub: operator.sub,
    ast.Mult: _multiply,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _percent,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
_PLAIN = (str, bytes, int, float, complex, tuple, list, type(None))


def binary(op: ast.operator, left: Any, right: Any) -> Any:
    """Return `left op right`, or NOTHING where it is unknown, wrong or too large."""
    if not isinstance(left, _PLAIN) or not isinstance(right, _PLAIN):
        return NOTHING
    return attempt(lambda: _OPERATORS[type(op)](left, right))


def unary(op: ast.unaryop, operand: Any) -> Any:
    """Return `op operand`, or NOTHING."""
    return attempt(lambda: _UNARY[type(op)](operand))


def attempt(work: Callable[[], Any]) -> Any:
    """Return what `work` computes, or NOTHING where it fails or grows too large."""
    try:
        return _bounded(work())
    except Exception:  # whatever the code got wrong is no constant
        return NOTHING


_METHODS = {
    str: frozenset(
        words(
            "capitalize casefold center encode endswith expandtabs find format format_map index join lower "
            "lstrip partition removeprefix removesuffix replace rfind rindex rjust ljust rpartition rsplit "
            "rstrip split splitlines startswith strip swapcase title translate upper zfill isalpha isdigit "
            "count"
        )
    ),
    bytes: frozenset(
        words(
            "decode hex join lower lstrip partition replace rsplit rstrip split strip swapcase title "
            "translate upper removeprefix removesuffix find index startswith endswith count"
        )
    ),
    list: frozenset(("copy",)),
    tuple: frozenset(("index",)),
    int: frozenset(("to_bytes", "bit_length")),
}
_WIDTHS = frozenset(("center", "ljust", "rjust", "zfill", "expandtabs", "to_bytes"))


def method(receiver: Any, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Return `receiver.name(*args, **keywords)` for methods of constants that only compute, or NOTHING."""
    if name not in _METHODS.get(type(receiver), ()):
        return NOTHING
    if name in _WIDTHS and args and not (isinstance(args[0], int) and args[0] <= MAX_TEXT):
        return NOTHING
    if name in ("format", "format_map"):
        return _format(receiver, name, args, keywords)
    if name in ("decode", "encode") and str(args[0] if args else "utf-8").lower() in _CODECS_THAT_GROW:
        return NOTHING
    return attempt(lambda: getattr(receiver, name)(*args, **keywords))


_CODECS_THAT_GROW = frozenset(("zip", "zlib", "zlib_codec", "bz2", "bz2_codec", "idna", "punycode"))


def _format(receiver: str, name: str, args: list[Any], keywords: dict[str, Any]) -> Any:
    """Only plain text is formatted: a format string can reach attributes."""
    values = [*args, *keywords.values()]
    plain = all(isinstance(value, str | int | float) for value in values)
    if name != "format" or "." in receiver or "[" in receiver or not plain or not _small_format(receiver):
        return NOTHING
    return attempt(lambda: receiver.format(*args, **keywords))


def subscript(value: Any, index: Any) -> Any:
    """Return `value[index]`, or NOTHING."""
    if not isinstance(value, str | bytes | list | tuple | dict):
        return NOTHING
    return attempt(lambda: value[index])
