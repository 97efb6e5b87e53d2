"""Evaluates literals: strings, templates, numbers, lists, objects, functions."""

from __future__ import annotations

from typing import Protocol

from tree_sitter import Node

from engine.analysis.javascript.folding import spread
from engine.analysis.javascript.values import (
    NOTHING,
    UNKNOWN,
    JavaScriptScope,
    JavaScriptValue,
    text,
    unescaped,
)
from engine.analysis.syntax import Tree

MAX_DIGITS = 400


class Solver(Protocol):
    """Evaluates the expressions within an expression."""

    tree: Tree

    def value(self, node: Node | None, scope: JavaScriptScope, depth: int = 0) -> JavaScriptValue:
        """Return what `node`, seen from `scope`, is known to be."""

    def property_of(self, target: JavaScriptValue, name: str, depth: int) -> JavaScriptValue:
        """Return what the property `name` of `target` is."""

    def inside(self, function: Node) -> JavaScriptScope | None:
        """Return the scope of a function's body."""

    def arguments(self, call: Node, scope: JavaScriptScope) -> list[JavaScriptValue]:
        """Return the values of a call's arguments."""


def string(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A text, its escapes decoded."""
    return JavaScriptValue("text", unescaped(solver.tree.of(node)[1:-1]))


def template(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A template: what is not known in it stays a gap."""
    parts: list[str] = []
    sources: list[JavaScriptValue] = []
    at = node.start_byte + 1
    for child in node.named_children:
        if child.type == "template_substitution":
            parts.append(unescaped(solver.tree.slice(at, child.start_byte)))
            inner = solver.value(child.named_children[0], scope, depth) if child.named_children else NOTHING
            parts.append(inner.text if inner.kind in {"text", "number"} else UNKNOWN)
            sources.append(inner)
            at = child.end_byte
    parts.append(unescaped(solver.tree.slice(at, node.end_byte - 1)))
    return text("".join(parts), *sources)


def number(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A number of ordinary length."""
    raw = solver.tree.of(node).replace("_", "").rstrip("n")
    if len(raw) > MAX_DIGITS:
        return NOTHING
    try:
        number = int(raw, 0) if raw[:2].lower() in {"0x", "0o", "0b"} else float(raw)
    except ValueError:
        return NOTHING
    whole = abs(number) < 1e300 and number == int(number)
    return JavaScriptValue("number", str(int(number)) if whole else str(number))


def regex(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A regular expression, by its source."""
    return JavaScriptValue("regex", path=solver.tree.of(node))


def atom(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """`true`, `false`, `null` or `undefined`."""
    return JavaScriptValue("atom", node.type)


def array(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A list, with spread elements added one by one."""
    children = [child for child in node.named_children if child.type != "comment"]
    items: list[JavaScriptValue] = []
    for child in children[:4096]:
        value = solver.value(child, scope, depth)
        items.extend(spread(value) if child.type == "spread_element" else (value,))
    origin = tuple(step for item in items[:8] for step in item.origin)[:4]
    taints = frozenset(taint for item in items for taint in item.taints)
    return JavaScriptValue("list", items=tuple(items), node=node, scope=scope, origin=origin, taints=taints)


def object_(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """An object, looked into when a property is asked for."""
    taints: set[str] = set()
    for child in node.named_children[:64]:
        inner = child.child_by_field_name("value") if child.type == "pair" else child

        if inner is not None and child.type in {
            "pair",
            "spread_element",
            "shorthand_property_identifier",
        }:
            taints |= solver.value(inner, scope, depth).taints
    return JavaScriptValue("object", node=node, scope=scope, taints=frozenset(taints))


def function(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """A function; one that only passes its argument on counts as the function that it calls."""
    body = node.child_by_field_name("body")
    parameter = node.child_by_field_name("parameter") or node.child_by_field_name("parameters")
    path = ""
    if body is not None and body.type == "call_expression" and parameter is not None:
        args = body.child_by_field_name("arguments")
        given = solver.tree.of(args)[1:-1].strip() if args is not None else ""
        if given and given == solver.tree.of(parameter).strip("()").split(",")[0].strip():
            path = solver.value(body.child_by_field_name("function"), scope, depth).path
    return JavaScriptValue("function", path=path, node=node, scope=scope)


def this(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """`this`."""
    return JavaScriptValue("path", path="this")


def import_(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """`import`, as it is called."""
    return JavaScriptValue("path", path="import")


def meta(solver: Solver, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
    """`import.meta` and `new.target`."""
    return JavaScriptValue("path", path=solver.tree.of(node))
