"""Operations that request huge amounts of memory."""

from __future__ import annotations

import ast
import re
from typing import Any

from engine.analysis.python.evaluate import fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.rules.resources import ALLOCATION, GROWTH
from engine.models import EffectKind, Level

_MEDIUM = 64 * 1024 * 1024
_HIGH = 1024 * 1024 * 1024


def number(value: PythonValue | None) -> int:
    """Return a constant number; 0 where it is none."""
    return value.const if value is not None and isinstance(value.const, int) else 0


def length_of(value: PythonValue | None) -> int:
    """Return how many elements a constant or a range has; 0 where that is not known."""
    if value is not None and isinstance(value.const, fold.SEQUENCES):
        return len(value.const)
    turns = value.items.get("turns") if value is not None and value.items is not None else None
    return number(turns)


def size_of(value: PythonValue | None) -> int:
    """Return how many bytes a text of a known size has; 0 where that is not known."""
    size = value.items.get("size") if value is not None and value.items is not None else None
    return number(size) or (
        length_of(value) if value is not None and isinstance(value.const, str | bytes) else 0
    )


def long_text(node: ast.BinOp, left: Any, right: Any) -> PythonValue | None:
    """Return a text that is too long to be worked out, of which only the size is known."""
    for text, count in ((left, right), (right, left)):
        if (
            type(node.op) is ast.Mult
            and isinstance(text, str | bytes)
            and isinstance(count, int)
            and count > 0
        ):
            value = PythonValue()
            value.items = {"size": PythonValue(len(text) * count)}
            return value
    return None


def check_width(evaluator: Evaluator, node: ast.AST, template: str) -> None:
    """Report a width of a format that makes a huge text of anything: `%1000000000d`, `{:>1000000000}`."""
    for width in _WIDTH.findall(template):
        too_many(evaluator, node, int(width))


_WIDTH = re.compile(r"(?:%[-+ #0]*|\{[^{}]*:[^{}\d]*|^[^{}%\d]{0,3})0?(\d{8,18})")


def too_many(evaluator: Evaluator, node: ast.AST, size: int) -> None:
    """Report `size` bytes or steps where they are too many."""
    if size < _MEDIUM:
        return
    level = Level.HIGH if size >= _HIGH else Level.MEDIUM
    shown = f"about {size:,}" if size < 10**18 else "more than 10^18"
    evaluator.report(ALLOCATION, node, f"Requests {shown} bytes", severity=level)
    evaluator.add_effect(EffectKind.SIZE, str(min(size, 10**18)), node)


def check_operation(evaluator: Evaluator, node: ast.BinOp, left: Any, right: Any) -> None:
    """Report a multiplication or power of constants whose result is huge."""
    op = type(node.op)
    if op is ast.Mult:
        for sequence, count in ((left, right), (right, left)):
            if isinstance(sequence, fold.SEQUENCES) and isinstance(count, int):
                width = 8 if isinstance(sequence, list | tuple) else 1
                too_many(evaluator, node, len(sequence) * count * width)
    elif op is ast.Pow and isinstance(left, int) and isinstance(right, int) and abs(left) > 1:
        bits = left.bit_length() * right
        if bits > 10**7:
            level = Level.HIGH if bits > 10**9 else Level.MEDIUM
            evaluator.report(
                ALLOCATION, node, f"Computes a number of about {min(bits, 10**18):,} bits", severity=level
            )
    elif op is ast.LShift and isinstance(left, int) and isinstance(right, int) and right > 10**8:
        evaluator.report(ALLOCATION, node, f"Computes a number of about {min(right, 10**18):,} bits")


def check_growth(
    evaluator: Evaluator, node: ast.BinOp, left: PythonValue | None, right: PythonValue | None
) -> None:
    """Report a sequence of unknown content but known, huge length; and powers of powers."""
    if type(node.op) is ast.Mult:
        for sequence, count in ((left, right), (right, left)):
            if (
                sequence is not None
                and sequence.items is not None
                and count is not None
                and isinstance(count.const, int)
            ):
                too_many(evaluator, node, len(sequence.items) * count.const * 8)
    elif (
        type(node.op) is ast.Pow and isinstance(node.right, ast.BinOp) and isinstance(node.right.op, ast.Pow)
    ):
        inner = node.right
        if all(isinstance(part, ast.Constant) for part in (node.left, inner.left, inner.right)):
            evaluator.report(
                ALLOCATION, node, "A power of a power: a number too long to write", severity=Level.HIGH
            )


__all__ = ["GROWTH", "check_growth", "check_operation", "check_width", "length_of", "number", "too_many"]
