"""Evaluates calls: computes constants, enters the code's own functions, and runs the sinks of known names."""

from __future__ import annotations

import ast

from engine.analysis.python.evaluate import attributes, fold, functions, lookups
from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.sink_registry import (
    ANY_OBJECT,
    CALLS,
    METHODS,
    PREFIXES,
    TEXT_METHODS,
    TOUCHING,
    PythonCall,
)
from engine.analysis.python.evaluate.targets import parts_of
from engine.analysis.python.evaluate.values import (
    DANGEROUS_CALLBACKS,
    NOTHING,
    PythonValue,
    derived,
    taint_of,
)
from engine.analysis.python.loops import loops, resources


def call(evaluator: Evaluator, node: ast.Call) -> PythonValue | None:
    """Return what a call gives."""
    func = node.func
    if type(func) is ast.Attribute:
        return _method(evaluator, node, func)
    callee = lookups.lookup(evaluator, func.id) if type(func) is ast.Name else evaluator.evaluate(func)
    if callee is None:
        evaluator.relevant += (
            evaluator.scope.parent is not None and getattr(func, "id", None) in evaluator.scope.names
        )
        return _unknown(evaluator, node, None)
    return invoke(evaluator, node, callee, *_arguments(evaluator, node), None)


_LENGTHENING = frozenset(("append", "extend", "insert"))


def _method(evaluator: Evaluator, node: ast.Call, func: ast.Attribute) -> PythonValue | None:
    receiver = evaluator.evaluate(func.value)
    if evaluator.loops and func.attr in _LENGTHENING and type(func.value) is ast.Name:
        loops.check_growth(evaluator, node, func.value.id)
    if receiver is None:
        attributes.member(evaluator, func, None, func.attr)
        handler = METHODS.get(func.attr)
        if handler is None:
            return _unknown(evaluator, node, None)
        args, keywords = _arguments(evaluator, node)
        evaluator.relevant += 1
        return handler(evaluator, PythonCall(node, func.attr, args, keywords))
    callee = attributes.member(evaluator, func, receiver, func.attr)
    if callee is None and not receiver.known and receiver.items is None:
        return _unknown(evaluator, node, receiver)
    args, keywords = _arguments(evaluator, node)
    if callee is None or not (callee.name or callee.function or callee.owner):
        return _on_constant(evaluator, node, receiver, func.attr, args, keywords)
    return invoke(evaluator, node, callee, args, keywords, receiver)


def _arguments(
    evaluator: Evaluator, node: ast.Call
) -> tuple[list[PythonValue | None], dict[str, PythonValue | None]]:
    args: list[PythonValue | None] = []
    for arg in node.args:
        value = evaluator.evaluate(arg)
        if type(arg) is ast.Starred and (parts := parts_of(value)):
            args.extend(parts)
        else:
            args.append(value)
    keywords: dict[str, PythonValue | None] = {}
    for keyword in node.keywords:
        value = evaluator.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif value is not None and value.items is not None:
            keywords.update({k: v for k, v in value.items.items() if isinstance(k, str)})
    return args, keywords


def _unknown(evaluator: Evaluator, node: ast.Call, receiver: PythonValue | None) -> PythonValue | None:
    """Evaluate an unknown call: it passes on the taint of its arguments, and calls functions among them."""
    taint = receiver.taint if receiver is not None else 0
    tainted = receiver
    for arg in (*node.args, *(keyword.value for keyword in node.keywords)):
        if type(arg) is ast.Constant:
            if type(arg.value) is str:
                evaluator.texts.append(arg)
            continue
        value = evaluator.evaluate(arg)
        if value is None:
            continue
        if value.name and value.name in CALLS and value.name in DANGEROUS_CALLBACKS:
            pass_callback(evaluator, arg, value)
        if value.taint:
            taint |= value.taint
            tainted = value
    return derived(NOTHING, tainted) if taint else None


def pass_callback(evaluator: Evaluator, node: ast.expr, value: PythonValue) -> None:
    """Treat a dangerous function that is passed on as called with unknown arguments."""
    if value.name in DANGEROUS_CALLBACKS:
        evaluator.relevant += 1
        CALLS[value.name](evaluator, PythonCall(node, value.name, [None], {}, None, value))


def invoke(
    evaluator: Evaluator,
    node: ast.expr,
    callee: PythonValue,
    args: list[PythonValue | None],
    keywords: dict[str, PythonValue | None],
    receiver: PythonValue | None = None,
) -> PythonValue | None:
    """Return what calling `callee` gives."""
    if callee.function is not None:
        return functions.call_function(evaluator, callee.function, args, keywords, callee.receiver)
    if callee.owner is not None and not callee.name:
        if callee.fields is not None:
            return _called_object(evaluator, node, callee, args, keywords)
        return _instance(evaluator, callee, args, keywords)
    name = callee.name
    if not name:
        return derived(NOTHING, *args, *keywords.values())
    call_ = PythonCall(node, name, args, keywords, receiver, callee)
    handler = CALLS.get(name)
    if handler is None:
        handler = PREFIXES.get(name.partition(".")[0])
    if handler is None:
        return _other(evaluator, call_)
    if not name.startswith("builtins.") or name in TOUCHING:
        evaluator.relevant += 1
    return handler(evaluator, call_)


def _instance(
    evaluator: Evaluator,
    callee: PythonValue,
    args: list[PythonValue | None],
    keywords: dict[str, PythonValue | None],
) -> PythonValue:
    value = PythonValue()
    value.owner, value.fields = callee.owner, {}
    made = callee.owner.attributes.get("__new__")
    if made is not None and made.function is not None:
        given = functions.call_function(evaluator, made.function, [callee, *args], keywords)
        value = given if given is not None and given.fields is not None else value
    init = callee.owner.attributes.get("__init__")
    if init is not None and init.function is not None:
        functions.call_function(evaluator, init.function, args, keywords, value)
    elif callee.owner.declared:
        value.fields = {**dict(zip(callee.owner.declared, args, strict=False)), **keywords}
    return value


def _called_object(
    evaluator: Evaluator,
    node: ast.expr,
    callee: PythonValue,
    args: list[PythonValue | None],
    keywords: dict[str, PythonValue | None],
) -> PythonValue | None:
    """Call an object of a class of the code."""
    method = attributes.member(evaluator, node, callee, "__call__")
    return invoke(evaluator, node, method, args, keywords) if method is not None else None


def _other(evaluator: Evaluator, call_: PythonCall) -> PythonValue | None:
    """A call that no rule knows: its result has a name, and the taint of what went in."""
    if call_.callee is not None and call_.name.startswith("builtins.") and not call_.callee.built:
        kind, _, method = call_.name[9:].partition(".")
        if method and kind in ("str", "bytes") and call_.args:
            return _on_constant(
                evaluator, call_.node, call_.args[0] or PythonValue(), method, call_.args[1:], call_.keywords
            )
        found = derived(NOTHING, *call_.args)
        pass_arguments(evaluator, call_)
        return found
    handler = ANY_OBJECT.get(call_.name.rpartition(".")[2]) if "." in call_.name else None
    if handler is not None:
        evaluator.relevant += 1
        return handler(evaluator, call_)
    pass_arguments(evaluator, call_)
    value = PythonValue(name=f"{call_.name}()", taint=call_.taint | taint_of(call_.receiver))
    for part in (*call_.args, call_.receiver):
        if part is not None and part.taint:
            value.trail = part.trail
    return value


def pass_arguments(evaluator: Evaluator, call_: PythonCall) -> None:
    """Look at dangerous functions, and the whole environment, among the arguments of a harmless call."""
    for value in (*call_.args, *call_.keywords.values()):
        if value is not None and value.name == "os.environ":
            CALLS["os.environ.items"](evaluator, PythonCall(call_.node, "os.environ.items", [], {}))
        if value is not None and value.name in DANGEROUS_CALLBACKS:
            pass_callback(evaluator, call_.node, value)


_WIDENING = frozenset(("ljust", "rjust", "center", "zfill"))


def _on_constant(
    evaluator: Evaluator,
    node: ast.expr,
    receiver: PythonValue,
    name: str,
    args: list[PythonValue | None],
    keywords: dict[str, PythonValue | None],
) -> PythonValue | None:
    special = TEXT_METHODS.get(name)
    if special is not None:
        evaluator.relevant += 1
        return special(evaluator, PythonCall(node, name, args, keywords, receiver))
    known = all(value is not None and value.known for value in (*args, *keywords.values()))
    result = NOTHING
    if name in _WIDENING and args and args[0] is not None and isinstance(args[0].const, int):
        resources.too_many(evaluator, node, args[0].const)
    if receiver.known and known:
        consts = [value.const for value in args if value is not None]
        named = {key: value.const for key, value in keywords.items() if value is not None}
        result = fold.method(receiver.const, name, consts, named)
    return derived(result, receiver, *args)
