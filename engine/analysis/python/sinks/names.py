"""Names reached by text: `getattr` and its relatives."""

from __future__ import annotations

from typing import Any

from engine.analysis.python.attributes import check_built, looked_up, member
from engine.analysis.python.calls import CALLS, Call, handles, invoke
from engine.analysis.python.names import HEAVY_MODULES
from engine.analysis.python.rules import execution as rules
from engine.analysis.python.rules.objects import GADGET, PROBE, TAMPER
from engine.analysis.python.rules.resources import BOMB
from engine.analysis.python.sinks.paths import loop_turns
from engine.analysis.python.values import NOTHING, Value, derived, text_of
from engine.analysis.python.walk import Walk
from engine.models import Level


@handles(
    "builtins.getattr",
    "builtins.object.__getattribute__",
    "builtins.type.__getattribute__",
    "inspect.getattr_static",
    "operator.attrgetter()()",
)
def get_attribute(walk: Walk, call: Call) -> Value | None:
    """Return what `getattr(x, 'name')` means."""
    name = call.arg(1, "name")
    return _got(walk, call, call.arg(0, "obj"), name, text_of(name))


def _got(walk: Walk, call: Call, owner: Value | None, name: Value | None, text: str | None) -> Value | None:
    walk.report(rules.DYNAMIC_ATTRIBUTE, call.node, "Reads an attribute by text")
    head = (owner.name or "").partition(".")[0] if owner is not None else ""
    if text is None:
        if head in HEAVY_MODULES:
            walk.report(
                rules.HIDDEN_NAME,
                call.node,
                f"An attribute of `{head}` that only the run will tell",
                value=name,
            )
            return Value(name=f"{head}.?")
        return derived(NOTHING, owner)
    found = member(walk, call.node, owner, text.split(".")[0])
    for part in text.split(".")[1:]:
        found = member(walk, call.node, found, part)
    if found is not None and found.name:
        found = found.copy()
        found.built = True
        check_built(walk, call.node, found, name)
    return found


@handles("builtins.setattr", "builtins.delattr")
def set_attribute(walk: Walk, call: Call) -> Value | None:
    """Report attributes set by text, and modules that are tampered with."""
    owner = call.arg(0)
    walk.report(rules.DYNAMIC_ATTRIBUTE, call.node, "Changes an attribute by text")
    if owner is not None and owner.name and owner.name.partition(".")[0] in HEAVY_MODULES:
        walk.report(TAMPER, call.node, f"Changes an attribute of `{owner.name}`")
    text = call.text(1)
    if owner is not None and owner.owner is not None and text is not None:
        owner.owner.attributes[text] = call.arg(2)
    return None


@handles("builtins.vars", "builtins.globals", "builtins.locals")
def namespace(walk: Walk, call: Call) -> Value | None:
    """Return a namespace: of a module, or of the code itself."""
    walk.report(rules.DYNAMIC_ATTRIBUTE, call.node, f"`{call.name[9:]}()` gives names by text")
    owner = call.arg(0)
    if owner is not None and owner.name:
        return Value(name=f"{owner.name}.__dict__")
    return Value(name=f"{call.name}()")


def _namespace_get(walk: Walk, call: Call) -> Value | None:
    owner = Value(name=call.name.rpartition(".")[0])
    return looked_up(walk, call.node, owner, call.arg(0))


for _base in (
    "sys.modules",
    "builtins.globals()",
    "builtins.locals()",
    "builtins.vars()",
    "builtins.__dict__",
):
    for _method in ("get", "__getitem__", "pop", "setdefault"):
        CALLS[f"{_base}.{_method}"] = _namespace_get
for _base in ("os.__dict__", "subprocess.__dict__", "builtins", "sys.__dict__"):
    for _method in ("get", "__getitem__"):
        CALLS[f"{_base}.{_method}"] = _namespace_get


@handles("operator.attrgetter", "operator.itemgetter", "operator.methodcaller", "functools.partial")
def factory(walk: Walk, call: Call) -> Value | None:
    """Return a callable that remembers its arguments."""
    value = Value(name=f"{call.name}()")
    value.items = dict(enumerate(call.args))
    value.taint = call.taint
    return value


def _remembered(call: Call) -> list[Value | None]:
    items = call.callee.items if call.callee is not None else None
    return list(items.values()) if items else []


@handles("operator.attrgetter()")
def call_attrgetter(walk: Walk, call: Call) -> Value | None:
    """Return what `attrgetter('a')(x)` means."""
    name = next(iter(_remembered(call)), None)
    return _got(walk, call, call.arg(0), name, text_of(name))


@handles("operator.itemgetter()")
def call_itemgetter(walk: Walk, call: Call) -> Value | None:
    """Return what `itemgetter('a')(x)` means."""
    owner = call.arg(0)
    key = next(iter(_remembered(call)), None)
    return looked_up(walk, call.node, owner, key) if owner is not None and owner.name else None


@handles("operator.methodcaller()")
def call_methodcaller(walk: Walk, call: Call) -> Value | None:
    """Return what `methodcaller('a', 1)(x)` gives."""
    remembered = _remembered(call)
    name = remembered[0] if remembered else None
    found = _got(walk, call, call.arg(0), name, text_of(name))
    return invoke(walk, call.node, found, remembered[1:], {}) if found is not None else None


@handles("functools.partial()")
def call_partial(walk: Walk, call: Call) -> Value | None:
    """Return what `partial(f, 1)(2)` gives."""
    remembered = _remembered(call)
    if not remembered or remembered[0] is None:
        return None
    return invoke(walk, call.node, remembered[0], [*remembered[1:], *call.args], call.keywords)


@handles("functools.reduce")
def reduce(walk: Walk, call: Call) -> Value | None:
    """`reduce(getattr, ['a', 'b'], x)` is a chain of attributes; any other function is called."""
    function, sequence, start = call.arg(0), call.arg(1), call.arg(2)
    if function is None:
        return None
    parts = _parts(sequence)
    found = start
    for part in parts:
        found = invoke(walk, call.node, function, [found, part], {}) if found is not None else part
    return found


@handles("builtins.map", "builtins.filter", "itertools.starmap", "concurrent.futures.Executor().map")
def map_function(walk: Walk, call: Call) -> Value | None:
    """`map(f, xs)` calls `f` with each."""
    function, sequence = call.arg(0), call.arg(1)
    if function is None:
        return derived(NOTHING, sequence)
    parts = _parts(sequence) or [sequence if sequence is not None and sequence.taint else None]
    if call.name == "builtins.filter":
        return sequence
    walk.steps -= len(parts)
    results = [invoke(walk, call.node, function, [part], {}) for part in parts[: max(1, walk.steps)]]
    found = Value()
    found.items = dict(enumerate(results))
    if results and all(result is not None and result.known for result in results):
        found.const = [result.const for result in results if result is not None]
    found.built = True
    return found


def _parts(sequence: Value | None) -> list[Value | None]:
    if sequence is None:
        return []
    if sequence.items:
        return list(sequence.items.values())[:1024]
    const: Any = sequence.const
    if isinstance(const, str | bytes | list | tuple):
        return [Value(part, taint=sequence.taint) for part in const[:1024]]
    return []


@handles("threading.Thread", "multiprocessing.Process", "threading.Timer", "multiprocessing.context.Process")
def target(walk: Walk, call: Call) -> Value | None:
    """A thread or process calls its target."""
    function = call.arg(1, "target") if call.name != "threading.Timer" else call.arg(1, "function")
    if function is not None and (function.name or function.function is not None):
        invoke(walk, call.node, function, _parts(call.keywords.get("args")), {})
    turns = max((loop_turns(walk, loop) for loop in walk.loops), default=0)
    if turns >= _TOO_MANY:
        walk.report(BOMB, call.node, f"Starts {turns:,} threads or processes", severity=Level.HIGH)
    return Value(name=f"{call.name}()")


_TOO_MANY = 1000


@handles(
    "atexit.register",
    "signal.signal",
    "sys.addaudithook",
    "weakref.finalize",
    "asyncio.run",
    "asyncio.gather",
)
def callback(walk: Walk, call: Call) -> Value | None:
    """Functions registered here will be called."""
    for index, value in enumerate(call.args):
        if value is not None and value.function is None and value.name in CALLS:
            invoke(walk, call.node, value, call.args[index + 1 :], {})
    return None


@handles(
    "sys._getframe",
    "inspect.currentframe",
    "inspect.stack",
    "sys._current_frames",
    "gc.get_objects",
    "gc.get_referrers",
    "sys.exc_info",
)
def frames(walk: Walk, call: Call) -> Value | None:
    """Report frames and the garbage collector's view: they reach every object."""
    if call.name == "sys.exc_info":
        return Value(name="sys.exc_info()")
    rule = GADGET if call.name.startswith("gc.") else PROBE
    walk.report(rule, call.node, f"`{call.name}` reaches other code's variables")
    return Value(name="frame")


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
def tampered(walk: Walk, call: Call) -> Value | None:
    """Report hooks into the interpreter."""
    if call.name != "gc.disable":
        walk.report(TAMPER, call.node, f"`{call.name}` changes how the interpreter works")
    return None
