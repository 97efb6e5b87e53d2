"""From source to Program."""

from __future__ import annotations

from tree_sitter import Node

from engine.analysis.javascript.grammar import parse
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.resolver import Resolver
from engine.analysis.javascript.scopes import Names, collect
from engine.analysis.javascript.values import JavaScriptScope
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
    return program


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
    if path.endswith(".call") and args:
        path, args, nodes = path[: -len(".call")], args[1:], nodes[1:]
    elif path.endswith(".apply") and len(args) > 1 and not path.startswith("Reflect"):
        path, args, nodes = path[: -len(".apply")], args[1].items, ()
    elif path in {"Reflect.apply", "Reflect.construct"} and args:
        path, args, nodes = args[0].path, args[-1].items if len(args) > 1 else (), ()
    elif callee is not None and callee.type == "function_expression":
        path = ""
    return JavaScriptCall(node, scope, path, target, args, nodes, program.tree)
