"""Evaluates calls whose result follows from the callee and its arguments."""

from __future__ import annotations

from tree_sitter import Node

from engine.analysis.javascript.folding import HAVE_METHODS, fold
from engine.analysis.javascript.library import (
    PASS_ON,
    REQUIRES,
    carriers,
    module_path,
    shortened,
    taints_of,
)
from engine.analysis.javascript.literals import Solver
from engine.analysis.javascript.values import NOTHING, JavaScriptScope, JavaScriptValue, unknown

DESCRIPTOR = "{}"
"""Ends the path of a property's descriptor."""
_HOLDING = frozenset({"function", "object", "list", "map"})
"""Kinds of values in which there may be parts of libraries."""


def call(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """Return what a call gives."""
    callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    target = solver.value(callee, scope, depth)
    args = solver.arguments(node, scope)
    path = target.path
    if path in REQUIRES:
        return _required(path, target, args)
    if path.endswith(".bind") and target.origin is not None:
        return JavaScriptValue("path", path=path[: -len(".bind")], taints=target.taints, origin=target.origin)
    if path in {"Reflect.get", "Object.getOwnPropertyDescriptor"} and len(args) > 1 and args[1].known:
        found = solver.property_of(args[0], args[1].text, depth)
        return found if path == "Reflect.get" else found._replace(path=f"{found.path}{DESCRIPTOR}")
    if path == "Object.assign" and not any(arg.path for arg in args):
        return JavaScriptValue(
            "object", items=tuple(args), taints=frozenset().union(*(a.taints for a in args))
        )
    if path in PASS_ON and args:
        return next((arg for arg in args if arg.path), args[0])
    made = _folded(solver, callee, scope, path, args, depth) or _returned(solver, target, depth)
    result = f"{path}()" if path else ""
    return made or unknown(target, *carriers(path, args), path=shortened(result))


def _returned(solver: Solver, target: JavaScriptValue, depth: int) -> JavaScriptValue | None:
    """Return what a function of the program gives, if that is a part of a library or may hold one."""
    if target.kind != "function" or target.node is None:
        return None
    given = result_of(solver, target.node, depth)
    return given if given.path or given.kind in _HOLDING else None


def result_of(solver: Solver, function: Node, depth: int) -> JavaScriptValue:
    """Return what a function of the program gives."""
    body, inside = function.child_by_field_name("body"), solver.inside(function)
    return solver.value(_result(body), inside, depth) if body is not None and inside is not None else NOTHING


def _result(body: Node) -> Node | None:
    """Return the expression of a function, or that of the `return` which ends it."""
    if body.type != "statement_block":
        return body
    last = body.named_children[-1] if body.named_children else None
    is_return = last is not None and last.type == "return_statement" and last.named_children
    return last.named_children[0] if last is not None and is_return else None


def _required(path: str, target: JavaScriptValue, args: list[JavaScriptValue]) -> JavaScriptValue:
    if not args or not args[0].known:
        return unknown(target, *args, path="module.?")
    name = module_path(args[0].text)
    if path in {"process.binding", "process._linkedBinding"}:
        name = f"binding.{name}"
    if "createRequire" in path and args[0].text.startswith(("file:", "/", ".")):
        name = "require"
    return JavaScriptValue(
        "path", path=name, origin=args[0].origin, taints=taints_of(name), layers=args[0].layers
    )


def _folded(
    solver: Solver,
    callee: Node | None,
    scope: JavaScriptScope,
    path: str,
    args: list[JavaScriptValue],
    depth: int,
) -> JavaScriptValue | None:
    if callee is None:
        return None
    receiver, name = NOTHING, path
    if callee.type in {"member_expression", "subscript_expression"}:
        receiver = solver.value(callee.child_by_field_name("object"), scope, depth)
        name = path.rsplit(".", 1)[-1] if receiver.kind in HAVE_METHODS else path
    return fold(name, receiver, args)
