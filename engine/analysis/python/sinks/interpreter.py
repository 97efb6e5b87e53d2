"""The interpreter: its frames, hooks and search path."""

from __future__ import annotations

import re

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue, text_of
from engine.analysis.python.rules.objects import GADGET, PROBE, TAMPER
from engine.analysis.python.sinks.callables import parts_of
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
