"""Looks up names, and reports dangerous functions that are named without being called."""

from __future__ import annotations

import ast

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.names import KNOWN
from engine.analysis.python.evaluate.scopes import PythonScope
from engine.analysis.python.evaluate.sink_registry import CALLS, PREFIXES
from engine.analysis.python.evaluate.values import PythonValue
from engine.models import Level

LOOSE_FUNCTION = python_rule(
    "py-loose-function",
    "A function that runs code or programs is passed on",
    "exec_eval",
    Level.MEDIUM,
    attack=("Passes it on under another name, in a container or as an argument, to be called elsewhere."),
    why="MEDIUM: the function is named, but what it will run is not visible here.",
    fix="Call it where it is named.",
    match=(
        "import os\nrun = os.system",
        "table = {'a': exec}",
        "import os\nsorted(x, key=os.popen)",
        "import os\ndef f(run=os.system): run(x)",
        "from subprocess import getoutput\nthing.run = getoutput",
    ),
    not_match=("import os\ngo = os.getcwd", "import re\nc = re.compile", "f = df.eval", "print(run)"),
    cwe=95,
)


LOOSE: set[str] = set()
"""Functions that legitimate code does not pass around: each runs code or a program."""


def lookup(evaluator: Evaluator, name: str) -> PythonValue | None:
    """Return what `name` means in the current scope."""
    scope: PythonScope | None = evaluator.scope
    while scope is not None:
        if name in scope.names:
            return scope.names[name]
        scope = scope.parent
    if evaluator.stars:
        found = starred(evaluator, name)
        if found is not None:
            return found
    return KNOWN.get(name)


def starred(evaluator: Evaluator, name: str) -> PythonValue | None:
    """Return what `name` means where it can only come from a star import."""
    for module in evaluator.stars:
        qualified = f"{module}.{name}"
        if qualified in CALLS or module in PREFIXES:
            return PythonValue(name=qualified)
    return None


def report_if_passed(evaluator: Evaluator, node: ast.expr, value: PythonValue) -> None:
    """Report a dangerous function where it is named and not called, unless it came by another name."""
    if value.name in LOOSE and (not value.trail or isinstance(value.trail[-1], ast.ImportFrom)):
        evaluator.relevant += 1
        evaluator.report(LOOSE_FUNCTION, node, f"`{value.name}` is passed on and not called", value=value)
