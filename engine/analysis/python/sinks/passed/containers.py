"""Containers of the standard library that hold what they are given."""

from __future__ import annotations

from typing import Any

from engine.analysis.python.evaluate.calls import invoke
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import PythonCall, handles
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import PythonValue


@handles(
    "collections.deque",
    "queue.Queue",
    "queue.LifoQueue",
    "queue.SimpleQueue",
    "queue.PriorityQueue",
    "multiprocessing.Queue",
    "asyncio.Queue",
)
def sequence(_: Evaluator, call: PythonCall) -> PythonValue:
    """Return a container of the elements that it is given first."""
    return PythonValue.holding(dict(enumerate(parts_of(call.arg(0)))), call.taint)


@handles("contextvars.ContextVar")
def variable(_: Evaluator, call: PythonCall) -> PythonValue:
    """Return what holds one value at a time."""
    default = call.keywords.get("default")
    return PythonValue.holding({} if default is None else {0: default}, call.taint)


@handles("collections.OrderedDict", "collections.ChainMap", "types.MappingProxyType", "collections.UserDict")
def mapping(_: Evaluator, call: PythonCall) -> PythonValue:
    """Return a mapping of what its parts hold; the first of them counts."""
    items: dict[Any, PythonValue | None] = {}
    for part in reversed(call.args):
        items.update(pairs_of(part))
    return PythonValue.holding({**items, **call.keywords}, call.taint)


@handles("collections.defaultdict")
def with_default(evaluator: Evaluator, call: PythonCall) -> PythonValue:
    """Return a mapping in which what its function makes may stand under any key."""
    function = call.arg(0)
    items = pairs_of(call.arg(1))
    if function is not None:
        items[("any", 0)] = invoke(evaluator, call.node, function, [], {})
    return PythonValue.holding({**items, **call.keywords}, call.taint)


def pairs_of(value: PythonValue | None) -> dict[Any, PythonValue | None]:
    """Return the entries of a mapping, or of a sequence of pairs."""
    if value is None:
        return {}
    pairs = [parts_of(part) for part in parts_of(value)]
    if (
        pairs
        and all(len(pair) == 2 for pair in pairs)
        and all(isinstance(key, int) for key in value.items or ())
    ):
        return {_key(pair[0], index): pair[1] for index, pair in enumerate(pairs)}
    return dict(value.items or {})


def _key(key: PythonValue | None, index: int) -> Any:
    return key.const if key is not None and isinstance(key.const, str | int) else ("any", index)
