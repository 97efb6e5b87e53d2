"""Functions that are built from others, passed on and called later."""

from __future__ import annotations

from engine.analysis.python.evaluate import attributes
from engine.analysis.python.evaluate.attributes import lookup_key
from engine.analysis.python.evaluate.calls import invoke
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import CALLS, Handler, PythonCall, handles
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import NOTHING, PythonValue, derived, text_of
from engine.analysis.python.rules.objects import TAMPER
from engine.analysis.python.rules.resources import BOMB
from engine.analysis.python.sinks.names import named_attribute
from engine.analysis.python.sinks.paths import loop_turns
from engine.models import Level


@handles("operator.attrgetter", "operator.itemgetter", "operator.methodcaller", "functools.partial")
def factory(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return a callable that remembers its arguments."""
    value = PythonValue(name=f"{call.name}()")
    value.items = dict(enumerate(call.args))
    value.taint = call.taint
    if call.name == "functools.partial":
        rest = PythonValue()
        rest.items = dict(enumerate(call.args[1:]))
        value.fields = {"func": call.arg(0), "args": rest, "keywords": attributes.of_fields(call.keywords)}
    return value


def _remembered(call: PythonCall) -> list[PythonValue | None]:
    items = call.callee.items if call.callee is not None else None
    return list(items.values()) if items else []


@handles("operator.attrgetter()")
def call_attrgetter(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `attrgetter('a')(x)` means."""
    name = next(iter(_remembered(call)), None)
    return named_attribute(evaluator, call, call.arg(0), name, text_of(name))


@handles("operator.itemgetter()")
def call_itemgetter(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `itemgetter('a')(x)` means."""
    owner = call.arg(0)
    key = next(iter(_remembered(call)), None)
    return lookup_key(evaluator, call.node, owner, key) if owner is not None and owner.name else None


@handles("operator.methodcaller()")
def call_methodcaller(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `methodcaller('a', 1)(x)` gives."""
    remembered = _remembered(call)
    name = remembered[0] if remembered else None
    found = named_attribute(evaluator, call, call.arg(0), name, text_of(name))
    return invoke(evaluator, call.node, found, remembered[1:], {}) if found is not None else None


@handles("functools.partial()")
def call_partial(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what `partial(f, 1)(2)` gives."""
    remembered = _remembered(call)
    if not remembered or remembered[0] is None:
        return None
    fields = (call.callee.fields if call.callee is not None else None) or {}
    kept = fields.get("keywords")
    keywords = {**((kept.items if kept is not None else None) or {}), **call.keywords}
    return invoke(evaluator, call.node, remembered[0], [*remembered[1:], *call.args], keywords)


@handles("operator.call", "asyncio.to_thread", "contextlib.suppress().__call__")
def call_first(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return what the first argument gives, called with the others."""
    function = call.arg(0)
    return (
        invoke(evaluator, call.node, function, call.args[1:], call.keywords) if function is not None else None
    )


for _pool in (
    "concurrent.futures.ThreadPoolExecutor()",
    "multiprocessing.Pool()",
    "multiprocessing.pool.ThreadPool()",
):
    CALLS[f"{_pool}.submit"] = call_first


@handles("weakref.ref", "weakref.proxy", "staticmethod", "builtins.staticmethod", "functools.cache")
def itself(_: Evaluator, call: PythonCall) -> PythonValue | None:
    """Return the first argument, which is reached through what is made of it."""
    return call.arg(0)


def _keyed(name: str) -> Handler:
    """`sorted`, `min` and `max` call their key with each element."""
    plain = CALLS[name]

    def handle(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
        function = call.keywords.get("key")
        if function is not None:
            for part in parts_of(call.arg(0)):
                invoke(evaluator, call.node, function, [part], {})
        return plain(evaluator, call)

    return handle


for _name in ("builtins.sorted", "builtins.min", "builtins.max"):
    CALLS[_name] = _keyed(_name)


@handles("functools.reduce")
def reduce(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`reduce(getattr, ['a', 'b'], x)` is a chain of attributes; any other function is called."""
    function, sequence, start = call.arg(0), call.arg(1), call.arg(2)
    if function is None:
        return None
    parts = parts_of(sequence)
    found = start
    for part in parts:
        found = invoke(evaluator, call.node, function, [found, part], {}) if found is not None else part
    return found


@handles("builtins.map", "builtins.filter", "itertools.starmap", "concurrent.futures.Executor().map")
def map_function(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """`map(f, xs)` calls `f` with each."""
    function, sequence = call.arg(0), call.arg(1)
    if function is None:
        return derived(NOTHING, sequence)
    parts = parts_of(sequence) or [sequence if sequence is not None and sequence.taint else None]
    evaluator.steps -= len(parts)
    spread = call.name.endswith("starmap")
    results = [
        invoke(evaluator, call.node, function, parts_of(part) if spread else [part], {})
        for part in parts[: max(1, evaluator.steps)]
    ]
    if call.name == "builtins.filter":
        return sequence
    found = PythonValue()
    found.items = dict(enumerate(results))
    if results and all(result is not None and result.known for result in results):
        found.const = [result.const for result in results if result is not None]
    found.built = True
    return found


@handles("threading.Thread", "multiprocessing.Process", "threading.Timer", "multiprocessing.context.Process")
def target(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """A thread or process calls its target."""
    function = call.arg(1, "target") if call.name != "threading.Timer" else call.arg(1, "function")
    if function is not None and (function.name or function.function is not None):
        invoke(evaluator, call.node, function, parts_of(call.keywords.get("args")), {})
    turns = max((loop_turns(evaluator, loop) for loop in evaluator.loops), default=0)
    if turns >= _TOO_MANY:
        evaluator.report(BOMB, call.node, f"Starts {turns:,} threads or processes", severity=Level.HIGH)
    return PythonValue(name=f"{call.name}()")


_TOO_MANY = 1000


_ENDING = frozenset(("signal.SIGTERM", "signal.SIGINT", "signal.SIGHUP", "signal.SIGQUIT", "signal.SIGALRM"))


@handles(
    "atexit.register",
    "signal.signal",
    "sys.addaudithook",
    "weakref.finalize",
    "asyncio.run",
    "asyncio.gather",
)
def callback(evaluator: Evaluator, call: PythonCall) -> PythonValue | None:
    """Functions registered here will be called; ignoring the signal that ends a process is no callback."""
    given = call.arg(1)
    if call.name == "atexit.register" and "os._exit" in evaluator.source:
        evaluator.report(TAMPER, call.node, "Ends with an exit code of its own, whatever happened before")
    if call.name == "signal.signal" and given is not None and given.name == "signal.SIG_IGN":
        named = call.arg(0)
        if named is not None and named.name in _ENDING:
            evaluator.report(TAMPER, call.node, f"Ignores `{named.name}`, which would end it")
    for index, value in enumerate(call.args):
        if value is not None and value.function is None and value.name in CALLS:
            invoke(evaluator, call.node, value, call.args[index + 1 :], {})
    return None
