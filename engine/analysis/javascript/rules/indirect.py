"""Dangerous functions that are reached without their names, or passed on without a call."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import ABUSE, HIGH, MEDIUM, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.models import Violation

LOOSE_FUNCTION = rule(
    "js-loose-function",
    "Passes on a function that runs strings as code",
    "exec_eval",
    MEDIUM,
    attack="Passes `eval` on under another name, in a container or as a callback.",
    why="MEDIUM: the function is named, but what it will run is not visible here.",
    fix="Call the function where it is named.",
    match=(
        "['1'].forEach(eval)",
        "const o = { run: eval }",
        "(0, eval)(x)",
        "class A extends Function {}",
        "['1'].map(Function)",
        "p.then(Function)",
        "Reflect.construct(Function, ['1'])",
    ),
    not_match=(
        "typeof eval",
        "const o = { eval: 1 }",
        "x.eval(1)",
        "x instanceof Function",
        "x.constructor === Function",
        "Function.prototype.call.bind(f)",
    ),
    cwe=95,
    owasp=ABUSE,
)
INDIRECT = rule(
    "js-indirect-name",
    "Accesses a global without its name",
    "obfuscation",
    MEDIUM,
    attack="Enumerates all globals, or takes one by a computed name, so that no name is written.",
    why=(
        "MEDIUM: neither the name nor what is called is visible; HIGH where the name is assembled from"
        " parts, or all of `Function` is taken."
    ),
    fix="Write the name.",
    match=(
        "globalThis[name](x)",
        "Object.values(globalThis).find(f)(x)",
        "Object.getOwnPropertyDescriptors(Function.prototype)",
        "with (process) { kill(1) }",
        "const { [name]: f } = globalThis; f(x)",
    ),
    not_match=("handlers[name](x)", "Object.values(o).find(f)", "globalThis.setTimeout(f, 1)"),
    cwe=470,
)
LOADED_TOO = rule(
    "js-loader-variable",
    "Makes other programs load code",
    "persistence",
    HIGH,
    attack="Makes every program that starts later load the attacker's library or script first.",
    why="HIGH: these variables serve only to load other code into programs.",
    fix="Pass the setting only to the program that needs it.",
    match=("process.env.LD_PRELOAD = '/tmp/x.so'", "process.env['NODE_OPTIONS'] = '--require /tmp/x.js'"),
    not_match=("process.env.NODE_ENV = 'test'", "const p = process.env.LD_PRELOAD"),
    cwe=426,
)

_MOST = 200
"""Mentions of one name that are looked at."""
_EVERY = re.compile(
    r"^(?:Object\.(?:keys|values|entries|getOwnPropertyNames|getOwnPropertyDescriptors)"
    r"|Reflect\.ownKeys)$"
)
_OWNERS = frozenset(
    {
        "globalThis",
        "process",
        "child_process",
        "module",
        "module.constructor",
        "Function",
        "Function.prototype",
    }
)
_LOADERS = re.compile(
    r"^process\.env\.(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|BASH_ENV|PYTHONSTARTUP"
    r"|PROMPT_COMMAND|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|GIT_SSH_COMMAND)$"
)
_RUNS_TEXT = ("eval", "Function")
_COMPARES = frozenset({"instanceof", "===", "!==", "==", "!="})
_QUIET = frozenset({"unary_expression", "member_expression", "subscript_expression"})


def check(program: Program) -> Iterator[Violation]:
    """Yield indirect access to globals, and functions that are passed on."""
    yield from _loose(program)
    for call in program.calls:
        if call.path.startswith("globalThis.?") or (_EVERY.match(call.path) and _is_owner(call)):
            leads = call.path.endswith("Descriptors") and call.arg(0).path.startswith("Function")
            yield found(INDIRECT, program, call, severity=HIGH if leads else None)
    for node, scope in program.names.of("with_statement"):
        target = node.child_by_field_name("object")
        if program.resolver.path(target, scope) in _OWNERS:
            yield INDIRECT.violation(program.tree.span(node), program.text(node))
    for node, _ in program.names.of("assignment_expression"):
        left = node.child_by_field_name("left")
        if left is not None and left.type in _QUIET and "env" in program.tree.of(left)[:200]:
            yield from _variable(program, node, left)


def _is_owner(call: JavaScriptCall) -> bool:
    return call.arg(0).path in _OWNERS


def _loose(program: Program) -> Iterator[Violation]:
    """`eval` and `Function` where they are not called, and classes that derive from `Function`."""
    for name in _RUNS_TEXT:
        if name in program.tree.text:
            yield from _passed_on(program, name)
    for node, scope in program.names.of("class_heritage"):
        base = node.named_children[-1] if node.named_children else None
        if program.resolver.path(base, scope) == "Function":
            yield LOOSE_FUNCTION.violation(program.tree.span(node), program.text(node))


def _passed_on(program: Program, name: str) -> Iterator[Violation]:
    mentions = (one for one in program.names.of("identifier") if program.tree.of(one[0]) == name)
    for (node, scope), _ in zip(mentions, range(_MOST), strict=False):
        if scope.find(name) is None and not _is_called(node):
            text = program.text(node.parent or node)
            yield LOOSE_FUNCTION.violation(program.tree.span(node), f"Passed on, not called: {text}")


def _is_called(node: Node) -> bool:
    """Return whether it is called, compared, inspected or derived from."""
    parent = node.parent
    if parent is None or parent.type in _QUIET:
        return True
    if parent.type == "binary_expression":
        return any(child.type in _COMPARES for child in parent.children)
    called = parent.child_by_field_name("function") or parent.child_by_field_name("constructor")
    return parent.type == "class_heritage" or called == node


def _variable(program: Program, node: Node, left: Node) -> Iterator[Violation]:
    name = "".join(program.tree.of(left).split()).replace("['", ".").replace('["', ".").rstrip("'\"]")
    if _LOADERS.match(name):
        yield LOADED_TOO.violation(program.tree.span(node), program.text(node))
