"""Assertions that are edited away, and tests that are written so that they cannot fail."""

from __future__ import annotations

from engine.analysis.python.evaluate import fold
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.patterns import pattern_of
from engine.analysis.python.evaluate.sink_registry import TEXT_METHODS, PythonCall
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived
from engine.analysis.python.rules.objects import TAMPER
from engine.analysis.weakened_tests import is_runner, is_test, strips_assertions, weakens


def check_written(evaluator: Evaluator, call: PythonCall, path: str, content: PythonValue | None) -> None:
    """Report what keeps the tests of a file from failing, and a replaced program that runs tests."""
    if is_runner(path) or (is_test(path) and weakens(pattern_of(content))):
        evaluator.report(TAMPER, call.node, f"Writes a test that cannot fail into `{path[:80]}`")


def check_edit(evaluator: Evaluator, call: PythonCall) -> None:
    """Report a replacement in a text that takes its assertions away."""
    old, new = call.arg(0, "pattern"), call.arg(1, "repl")
    texts = [value.const for value in (old, new) if value is not None and isinstance(value.const, str)]
    if len(texts) == 2 and strips_assertions(*texts):
        evaluator.report(TAMPER, call.node, f"Turns assertions into `{texts[1][:40]}`")


def _replace(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    check_edit(evaluator, call)
    known = [value.const for value in call.args if value is not None and value.known]
    receiver = call.receiver
    if receiver is None or not receiver.known or len(known) != len(call.args):
        return derived(NOTHING, receiver, *call.args)
    return derived(fold.method(receiver.const, "replace", known, {}), receiver, *call.args)


TEXT_METHODS["replace"] = _replace
