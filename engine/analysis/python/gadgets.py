"""Attributes that lead to the internals of the interpreter."""

from __future__ import annotations

import ast
import re
from typing import Final

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.rules.objects import GADGET, PROBE
from engine.analysis.python.word_lists import words
from engine.models import Level

HARD: Final = frozenset(
    words(
        "__subclasses__ __globals__ __builtins__ __bases__ __base__ __mro__ __code__ __closure__ "
        "__import__ __loader__ __reduce_ex__ __getattribute__"
    )
)
_ESCAPE: Final = frozenset(["__subclasses__", "__globals__", "__builtins__", "__import__", "__loader__"])
PLAIN_NAMES: Final = frozenset(
    words(
        "func_globals func_code gi_frame gi_code cr_frame cr_code ag_frame ag_code f_back f_globals "
        "f_locals f_builtins f_code tb_frame co_code co_consts mro"
    )
)
_FRAMES: Final = frozenset(words("func_globals gi_frame cr_frame ag_frame f_back f_globals f_builtins"))
_FORMAT_PROBE = re.compile(r"\{[^{}]*(?:\.|\[)_{1,2}[a-z]+")


def check(evaluator: Evaluator, node: ast.AST, base: PythonValue | None, name: str) -> None:
    """Report the attribute `name` of `base` where it is one that climbs."""
    literal = base is not None and base.name is None and base.owner is None
    if name == "__class__" and literal and (base.known or base.items is not None):  # type: ignore[union-attr]
        evaluator.report(PROBE, node, "`__class__` of a literal leads to every class", value=base)
    if name not in HARD and name not in PLAIN_NAMES:
        return
    if base is not None and base.name is not None and base.name.startswith("builtins.super"):
        return
    evaluator.relevant += 1
    if name in _ESCAPE or name in _FRAMES:
        evaluator.report(
            GADGET, node, f"`{name}` leads from any object to the internals of the interpreter", value=base
        )
    elif name != "mro" or isinstance(node, ast.Attribute):
        level = Level.HIGH if name == "mro" else None
        message = f"`{name}` belongs to the interpreter's object model"
        evaluator.report(PROBE, node, message, severity=level, value=base)


def probed(evaluator: Evaluator, node: ast.AST) -> None:
    """Report an inner attribute that is only read to be seen."""
    evaluator.report(PROBE, node, "`__class__` is read by string")


def check_format(evaluator: Evaluator, node: ast.AST, template: str) -> None:
    """Report a format string that reaches attributes: `{x.__class__}`."""
    if _FORMAT_PROBE.search(template):
        evaluator.relevant += 1
        evaluator.report(PROBE, node, "The format string reads internal attributes", severity=Level.HIGH)
