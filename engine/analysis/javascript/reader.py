"""From source to Program."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.folding import spread
from engine.analysis.javascript.grammar import parse
from engine.analysis.javascript.linking import PER_ELEMENT
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.resolver import Resolver
from engine.analysis.javascript.scopes import Names, collect
from engine.analysis.javascript.values import JavaScriptScope, any_of
from engine.settings import AnalysisSettings


def read(source: str, settings: AnalysisSettings, depth: int) -> Program:
    """Return what is known of the program in `source`."""
    tree = parse(source)
    names = collect(tree)
    program = Program(tree, names, Resolver(names), settings, depth)
    calls = names.of("call_expression", "new_expression")
    program.calls.extend(_call(program, node, scope) for node, scope in calls)
    if program.resolver.deep:
        program.resolver = _from_within(names)
        program.calls[:] = (_call(program, node, scope) for node, scope in calls)
    program.calls.extend([made for call in program.calls for made in _made(program, call)])
    return program


def _made(program: Program, call: JavaScriptCall) -> Iterator[JavaScriptCall]:
    """Yield the call that a method of a list makes of a part of a library: `list.forEach(fs.unlinkSync)`."""
    given = call.arg(0)
    if given.kind != "path" or call.path.rpartition(".")[2] not in PER_ELEMENT:
        return
    callee = call.node.child_by_field_name("function")
    holder = callee.child_by_field_name("object") if callee is not None else None
    elements = program.resolver.value(holder, call.scope)
    if elements.kind == "list" and holder is not None:
        element = any_of(list(elements.items))
        yield call._replace(path=given.path, target=given, args=(element,), nodes=(holder,))


def _from_within(names: Names) -> Resolver:
    """Return a resolver that has read everything from the inside out, which takes no depth."""
    resolver = Resolver(names)
    nodes = names.of("call_expression", "new_expression", "member_expression", "subscript_expression")
    nodes += ((node, scope) for node, scope in names.of("identifier"))
    for node, scope in sorted(nodes, key=lambda entry: entry[0].end_byte):
        resolver.value(node, scope)
    return resolver


def _call(program: Program, node: Node, scope: JavaScriptScope) -> JavaScriptCall:
    resolver = program.resolver
    callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
    target = resolver.value(callee, scope)
    path = target.path
    arguments = node.child_by_field_name("arguments")
    nodes: tuple[Node, ...] = ()
    if arguments is not None and arguments.type == "arguments":
        nodes = tuple(child for child in arguments.named_children if child.type != "comment")
    elif arguments is not None:
        nodes = (arguments,)
        path = "zx.$" if path.rpartition(".")[2] == "$" else path
    args = tuple(resolver.value(arg, scope) for arg in nodes)
    if nodes and nodes[-1].type == "spread_element":
        args = (*args[:-1], *spread(args[-1]))
        nodes += nodes[-1:] * (len(args) - len(nodes)) if args else ()
    if path.endswith(".call") and args:
        path, args, nodes = path[: -len(".call")], args[1:], nodes[1:]
    elif path.endswith(".apply") and len(args) > 1 and not path.startswith("Reflect"):
        path, args = path[: -len(".apply")], args[1].items
        nodes = _nodes_of(nodes[1], len(args))
    elif path in {"Reflect.apply", "Reflect.construct"} and args:
        path, args = args[0].path, args[-1].items if len(args) > 1 else ()
        nodes = _nodes_of(nodes[-1], len(args))
    elif callee is not None and callee.type == "function_expression":
        path = ""
    return JavaScriptCall(node, scope, path, target, args, nodes, program.tree)


def _nodes_of(items: Node, count: int) -> tuple[Node, ...]:
    """Return the node of each argument that a list holds: that of the list where it does not write them."""
    written = tuple(child for child in items.named_children if child.type != "comment")
    return written if items.type == "array" and len(written) == count else (items,) * count
