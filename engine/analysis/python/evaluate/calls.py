"""What calls do: constants are computed, the code's own functions read, known names handed to their rules."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import attributes, fold, functions, lookups
from engine.analysis.python.evaluate.evaluator import Walk
from engine.analysis.python.evaluate.sink_registry import (
    CALLS,
    DANGEROUS_CALLBACKS,
    METHODS,
    PREFIXES,
    TEXT_METHODS,
    TOUCHING,
    Call,
)
from engine.analysis.python.evaluate.values import NOTHING, Value, derived, taint_of
from engine.analysis.python.loops import loops, resources


def call(walk: Walk, node: ast.Call) -> Value | None:
    """Return what a call gives."""
    func = node.func
    if type(func) is ast.Attribute:
        return _method(walk, node, func)
    callee = lookups.meaning(walk, func.id) if type(func) is ast.Name else walk.value(func)
    if callee is None:
        walk.touched += walk.scope.parent is not None and getattr(func, "id", None) in walk.scope.names
        return _unknown(walk, node, None)
    return invoke(walk, node, callee, *_arguments(walk, node), None)


_LENGTHENING = frozenset(("append", "extend", "insert"))


def _method(walk: Walk, node: ast.Call, func: ast.Attribute) -> Value | None:
    receiver = walk.value(func.value)
    if walk.loops and func.attr in _LENGTHENING and type(func.value) is ast.Name:
        loops.check_growth(walk, node, func.value.id)
    if receiver is None:
        attributes.member(walk, func, None, func.attr)
        handler = METHODS.get(func.attr)
        if handler is None:
            return _unknown(walk, node, None)
        args, keywords = _arguments(walk, node)
        walk.touched += 1
        return handler(walk, Call(node, func.attr, args, keywords))
    callee = attributes.member(walk, func, receiver, func.attr)
    if callee is None and not receiver.known and receiver.items is None:
        return _unknown(walk, node, receiver)
    args, keywords = _arguments(walk, node)
    if callee is None or not (callee.name or callee.function or callee.owner):
        return _on_constant(walk, node, receiver, func.attr, args, keywords)
    return invoke(walk, node, callee, args, keywords, receiver)


def _arguments(walk: Walk, node: ast.Call) -> tuple[list[Value | None], dict[str, Value | None]]:
    args: list[Value | None] = []
    for arg in node.args:
        value = walk.value(arg)
        if type(arg) is ast.Starred and value is not None and value.items is not None:
            args.extend(value.items.values())
        else:
            args.append(value)
    keywords: dict[str, Value | None] = {}
    for keyword in node.keywords:
        value = walk.value(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif value is not None and value.items is not None:
            keywords.update({k: v for k, v in value.items.items() if isinstance(k, str)})
    return args, keywords


def _unknown(walk: Walk, node: ast.Call, receiver: Value | None) -> Value | None:
    """The call of something unknown: what goes in comes out, and functions handed over will be called."""
    taint = receiver.taint if receiver is not None else 0
    tainted = receiver
    for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
        if type(arg) is ast.Constant:
            if type(arg.value) is str:
                walk.texts.append(arg)
            continue
        value = walk.value(arg)
        if value is None:
            continue
        if value.name and value.name in CALLS and value.name in DANGEROUS_CALLBACKS:
            handed_over(walk, arg, value)
        if value.taint:
            taint |= value.taint
            tainted = value
    return derived(NOTHING, tainted) if taint else None


def handed_over(walk: Walk, node: ast.expr, value: Value) -> None:
    """Treat a dangerous function that is passed on as called with arguments that only the run will tell."""
    if value.name in DANGEROUS_CALLBACKS:
        walk.touched += 1
        CALLS[value.name](walk, Call(node, value.name, [None], {}, None, value))


def invoke(
    walk: Walk,
    node: ast.expr,
    callee: Value,
    args: list[Value | None],
    keywords: dict[str, Value | None],
    receiver: Value | None = None,
) -> Value | None:
    """Return what calling `callee` gives."""
    if callee.function is not None:
        return functions.called(walk, callee.function, args, keywords)
    if callee.owner is not None and not callee.name:
        return _instance(walk, callee, args, keywords)
    name = callee.name
    if not name:
        return derived(NOTHING, *args, *keywords.values())
    call_ = Call(node, name, args, keywords, receiver, callee)
    handler = CALLS.get(name)
    if handler is None:
        handler = PREFIXES.get(name.partition(".")[0])
    if handler is None:
        return _other(walk, call_)
    if not name.startswith("builtins.") or name in TOUCHING:
        walk.touched += 1
    return handler(walk, call_)


def _instance(
    walk: Walk, callee: Value, args: list[Value | None], keywords: dict[str, Value | None]
) -> Value:
    value = Value()
    value.owner = callee.owner
    init = callee.owner.attributes.get("__init__")
    if init is not None and init.function is not None:
        functions.called(walk, init.function, args, keywords)
    return value


def _other(walk: Walk, call_: Call) -> Value | None:
    """A call that no rule knows: its result has a name, and the taint of what went in."""
    if call_.callee is not None and call_.name.startswith("builtins.") and not call_.callee.built:
        kind, _, method = call_.name[9:].partition(".")
        if method and kind in ("str", "bytes") and call_.args:
            return _on_constant(
                walk, call_.node, call_.args[0] or Value(), method, call_.args[1:], call_.keywords
            )
        found = derived(NOTHING, *call_.args)
        hand_over_arguments(walk, call_)
        return found
    hand_over_arguments(walk, call_)
    value = Value(name=f"{call_.name}()", taint=call_.taint | taint_of(call_.receiver))
    for part in (*call_.args, call_.receiver):
        if part is not None and part.taint:
            value.trail = part.trail
    return value


def hand_over_arguments(walk: Walk, call_: Call) -> None:
    """Look at dangerous functions, and the whole environment, among the arguments of a harmless call."""
    for value in (*call_.args, *call_.keywords.values()):
        if value is not None and value.name == "os.environ":
            CALLS["os.environ.items"](walk, Call(call_.node, "os.environ.items", [], {}))
        if value is not None and value.name in DANGEROUS_CALLBACKS:
            handed_over(walk, call_.node, value)


_WIDENING = frozenset(("ljust", "rjust", "center", "zfill"))


def _on_constant(
    walk: Walk,
    node: ast.expr,
    receiver: Value,
    name: str,
    args: list[Value | None],
    keywords: dict[str, Value | None],
) -> Value | None:
    special = TEXT_METHODS.get(name)
    if special is not None:
        walk.touched += 1
        return special(walk, Call(node, name, args, keywords, receiver))
    known = all(value is not None and value.known for value in (*args, *keywords.values()))
    result = NOTHING
    if name in _WIDENING and args and args[0] is not None and isinstance(args[0].const, int):
        resources.too_many(walk, node, args[0].const)
    if receiver.known and known:
        consts = [value.const for value in args if value is not None]
        named = {key: value.const for key, value in keywords.items() if value is not None}
        result = fold.method(receiver.const, name, consts, named)
    return derived(result, receiver, *args)
