"""The interpreter: its frames, hooks and search path."""

from __future__ import annotations

import re
import sys

from engine.analysis.python.declare import python_rule
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, PythonCall, handles
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import PythonValue, text_of
from engine.analysis.python.loops.resources import number
from engine.analysis.python.rules.objects import GADGET, PROBE, TAMPER
from engine.models import Level


@handles(
    "sys._getframe",
    "inspect.currentframe",
    "inspect.stack",
    "sys._current_frames",
    "gc.get_objects",
    "gc.get_referrers",
    "sys.exc_info",
)
def frames(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report frames and the garbage collector's view: they reach every object."""
    if call.name == "sys.exc_info":
        return PythonValue(name="sys.exc_info()")
    rule = GADGET if call.name.startswith("gc.") else PROBE
    evaluator.report(rule, call.node, f"`{call.name}` accesses the variables of other code")
    return PythonValue(name="frame")


LIMITS = python_rule(
    "py-limits",
    "Limits of the interpreter or the process are changed",
    "resource",
    Level.LOW,
    attack="Prepares to exhaust resources.",
    why="LOW: deep recursion needs it; MEDIUM for process limits; HIGH where a limit is taken away.",
    fix="Keep the default limits.",
    match=(
        "import sys\nsys.setrecursionlimit(10**6)",
        "import resource\nresource.setrlimit(a, b)",
        "import resource as r\nr.setrlimit(r.RLIMIT_NPROC, (9999, 9999))",
    ),
    not_match=("import sys\nsys.getrecursionlimit()",),
    cwe=400,
)


@handles(
    "sys.setrecursionlimit",
    "resource.setrlimit",
    "threading.stack_size",
    "sys.set_int_max_str_digits",
    "faulthandler.disable",
)
def limits(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Limits changed."""
    deep = call.name == "sys.setrecursionlimit" and number(call.arg(0)) > _DEEP
    level = Level.MEDIUM if call.name.startswith("resource.") or deep else None
    level = Level.HIGH if _lifts(call) else level
    evaluator.report(LIMITS, call.node, f"`{call.name}`", severity=level)
    return None


_DEEP = 100_000
_MANY_PROCESSES = 1024


def _lifts(call: PythonCall) -> bool:
    """Whether a limit is taken away, or allows more processes than any program needs."""
    kind, wanted = call.arg(0), call.arg(1)
    if call.name != "resource.setrlimit" or wanted is None:
        return False
    parts = wanted.const if isinstance(wanted.const, tuple) else (wanted.items or {}).values()
    values = [
        part if isinstance(part, PythonValue) else PythonValue(part) for part in parts if part is not None
    ]
    endless = any(value.name == "resource.RLIM_INFINITY" or number(value) < 0 for value in values)
    processes = kind is not None and kind.name == "resource.RLIMIT_NPROC"
    return endless or (processes and any(number(value) > _MANY_PROCESSES for value in values))


_SHARED_FOLDER = re.compile(r"^(?:/tmp|/var/tmp|/dev/shm|\\\\|https?:)")


@handles("sys.path.insert", "sys.path.append", "sys.path.extend")
def search_path(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report modules that are looked for where anybody may write."""
    given = call.args[-1] if call.args else None
    parts = [given] if text_of(given) is not None else parts_of(given)
    for text in map(text_of, parts):
        if text is not None and _SHARED_FOLDER.match(text):
            message = f"Imports from `{text[:80]}`, where anybody writes"
            evaluator.report(TAMPER, call.node, message, severity=Level.MEDIUM)
    return None


@handles(
    "sys.settrace",
    "sys.setprofile",
    "threading.settrace",
    "sys.meta_path.insert",
    "sys.meta_path.append",
    "sys.path_hooks.append",
    "sys.path_hooks.insert",
    "sys.addaudithook",
    "gc.disable",
)
def report_tampering(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report hooks into the interpreter."""
    if call.name != "gc.disable":
        evaluator.report(TAMPER, call.node, f"`{call.name}` changes how the interpreter works")
    return None


def _replaced(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report modules that are put where every later import finds them."""
    given = call.arg(0)
    whole = call.name.endswith("update") and given is not None
    names = [*(given.items or {})] if whole and given is not None else [text_of(given)]
    for name in names:
        if isinstance(name, str):
            level = None if name.partition(".")[0] in sys.stdlib_module_names else Level.MEDIUM
            message = f"Every later import of `{name[:60]}` gets this object"
            evaluator.report(TAMPER, call.node, message, severity=level)
    return None


for _method in ("__setitem__", "update"):
    CALLS[f"sys.modules.{_method}"] = _replaced
