"""Pools of processes and threads."""

from __future__ import annotations

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.values import PythonValue
from engine.analysis.python.loops.resources import number
from engine.analysis.python.rules import processes as rules
from engine.analysis.python.rules.resources import BOMB
from engine.models import Level

_MANY_WORKERS = 1000


@handles(
    "multiprocessing.Pool",
    "concurrent.futures.ProcessPoolExecutor",
    "multiprocessing.pool.Pool",
    "multiprocessing.get_context",
)
def pool(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report pools of processes."""
    if number(call.arg(0, "max_workers") or call.keywords.get("processes")) >= _MANY_WORKERS:
        evaluator.report(BOMB, call.node, f"`{call.name}` starts thousands of processes", severity=Level.HIGH)
    evaluator.report(
        rules.PROCESS,
        call.node,
        f"`{call.name}` starts processes",
        severity=None if call.args or call.keywords else Level.LOW,
    )
    return PythonValue(name="multiprocessing.Pool()")


@handles("concurrent.futures.ThreadPoolExecutor", "multiprocessing.pool.ThreadPool")
def threads(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Report threads by the thousand."""
    if number(call.arg(0, "max_workers") or call.keywords.get("processes")) >= _MANY_WORKERS:
        evaluator.report(BOMB, call.node, f"`{call.name}` starts thousands of threads", severity=Level.HIGH)
    return PythonValue(name=f"{call.name}()")
