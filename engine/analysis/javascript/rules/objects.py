"""Prototypes, and objects that lead to code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import ABUSE, HIGH, LOW, MEDIUM, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.values import JavaScriptScope
from engine.models import Violation

CONSTRUCTOR = rule(
    "js-constructor-escape",
    "Reaches the Function constructor through an object",
    "escape",
    HIGH,
    attack=("Makes code from text without `eval` and `Function` and their checks (vm and vm2 escapes)."),
    why="HIGH: code that may use `Function` does not write it this way.",
    fix="Call the intended function.",
    match=(
        "this.constructor.constructor('return process')()",
        "[].filter.constructor('alert(1)')()",
        "(() => {}).constructor('return this')()",
        "const A = Object.getPrototypeOf(async function () {}).constructor; A('x')()",
        "''['constructor']['constructor']('x')",
    ),
    not_match=(
        "x.constructor === Array",
        "class A { constructor() { super(); } }",
        "new this.constructor(1)",
    ),
    cwe=693,
    owasp=ABUSE,
)
PROTOTYPE = rule(
    "js-prototype",
    "Changes the prototype that all objects share",
    "escape",
    MEDIUM,
    attack="Gives every object a property of the attacker's choice, which other code then uses.",
    why=(
        "MEDIUM: old libraries extend prototypes too; HIGH where the key is in a text that is parsed, which"
        " only attacks do."
    ),
    fix="Use a Map, or Object.create(null).",
    match=(
        "obj.__proto__.isAdmin = true",
        "a['__proto__']['x'] = 1",
        "a.constructor.prototype.x = 1",
        'merge({}, JSON.parse(\'{"__proto__": {"a": 1}}\'))',
        "Object.prototype.x = 1",
    ),
    not_match=("A.prototype.f = function () {}", "Object.getPrototypeOf(a)", "o = { __proto__: null }"),
    cwe=1321,
)
BUFFER = rule(
    "js-unsafe-buffer",
    "Uses memory without bounds checks",
    "vuln_lint",
    MEDIUM,
    attack="Reads or writes beyond a buffer, or reveals earlier content of the memory.",
    why="MEDIUM: affects old versions of Node only.",
    fix="Use Buffer.from and Buffer.alloc, and keep bounds checks on.",
    match=("buf.readUInt8(0, true)", "Buffer.allocUnsafe(9)", "buf.writeInt16LE(1, 2, true)"),
    not_match=("buf.readUInt8(0)", "Buffer.alloc(9)"),
    cwe=119,
)

_ESCAPE = re.compile(
    r"(?:^|\.)constructor\.constructor$|\.(?:filter|map|concat|find|flat|at|slice|toString|valueOf|bind"
    r"|call|apply|push|sort|reduce|entries|fill|sub|link"
    r"|replace|hasOwnProperty|split|join)\.constructor$|Object\.getPrototypeOf\(\)\.constructor$"
    r"|__proto__\.constructor|^Function\.prototype\.constructor$"
    r"|prepareStackTrace|^Reflect\.getPrototypeOf\(\)\.constructor$"
)
_POLLUTES = re.compile(r'"(?:__proto__|constructor)"\s*:\s*\{')
_CODE = re.compile(r"\breturn\b|\bprocess\b|\brequire\b|[;{]|\w\(")
_CHANGES = re.compile(
    r"^(?:Object\.(?:setPrototypeOf|defineProperty|defineProperties|assign)"
    r"|Reflect\.(?:set|setPrototypeOf|defineProperty))$"
)
_UNCHECKED = re.compile(
    r"\.(?:read|write)(?:U?Int(?:8|16LE|16BE|32LE|32BE|LE|BE)|Float(?:LE|BE)|Double(?:LE|BE))$"
)
_SHARED = re.compile(r"^(?:Object|Function)\.prototype\b|(?:^|\.)__proto__\b|\.constructor\.prototype\b")
_BUILT_IN = re.compile(r"^(?:Array|String|Number|Promise|Date|RegExp|Map|Set|JSON|Math)\.prototype\.")


def check(program: Program) -> Iterator[Violation]:
    """Yield escapes through constructors, and changes of shared prototypes."""
    for call in program.calls:
        code = call.args[-1] if call.args else None
        textual = code is not None and (code.kind == "text" or (code.path == "" and code.kind == "unknown"))
        if (_ESCAPE.search(call.path) and (textual or call.path.endswith("constructor.constructor"))) or (
            call.path.endswith(".constructor") and textual and _makes_code(program, call)
        ):
            yield found(CONSTRUCTOR, program, call)
        elif call.path == "JSON.parse" and _POLLUTES.search(call.arg(0).text):
            yield found(PROTOTYPE, program, call, "Holds a key that changes prototypes", HIGH)
        elif (
            _UNCHECKED.search("." + call.path) and call.nodes and call.nodes[-1].type == "true"
        ) or call.path in {"Buffer.allocUnsafe", "Buffer.allocUnsafeSlow"}:
            yield found(BUFFER, program, call)
        elif _CHANGES.match(call.path) and _SHARED.fullmatch(call.arg(0).path):
            yield found(PROTOTYPE, program, call)
        elif call.path == "Buffer" and call.node.type == "new_expression":
            yield found(BUFFER, program, call, severity=LOW)
    for node, scope in program.names.of("assignment_expression", "augmented_assignment_expression"):
        yield from _assigned(program, node, scope)


def _makes_code(program: Program, call: JavaScriptCall) -> bool:
    """A constructor that is given code: that of a function, or of anything where the text says so."""
    code = call.args[-1]
    return (code.kind == "text" and bool(_CODE.search(code.text))) or _is_function(program, call.node)


def _is_function(program: Program, node: Node) -> bool:
    """`(() => {}).constructor('…')`: a constructor of something callable."""
    callee = node.child_by_field_name("function")
    target = callee.child_by_field_name("object") if callee is not None else None
    while target is not None and target.type == "parenthesized_expression" and target.named_children:
        target = target.named_children[0]

    return target is not None and target.type in {
        "arrow_function",
        "function_expression",
        "generator_function",
        "array",
        "string",
        "regex",
    }


def _assigned(program: Program, node: Node, scope: JavaScriptScope) -> Iterator[Violation]:
    left = node.child_by_field_name("left")
    if left is None or left.type not in {"member_expression", "subscript_expression"}:
        return
    path = _path(program, left, scope)
    if path == "Error.prepareStackTrace":
        yield CONSTRUCTOR.violation(program.tree.span(node), program.text(node))
    if _SHARED.search(path) and not path.startswith("module."):
        yield PROTOTYPE.violation(program.tree.span(node), program.text(node))
    elif _BUILT_IN.match(path):
        yield PROTOTYPE.violation(program.tree.span(node), program.text(node), severity=LOW)


def _path(program: Program, node: Node, scope: JavaScriptScope) -> str:
    """Return the dotted path of an assignment's target, without what it was assigned."""
    name = node.child_by_field_name("property") or node.child_by_field_name("index")
    target = program.resolver.value(node.child_by_field_name("object"), scope)
    if name is None:
        return ""
    if node.type == "member_expression":
        key = program.tree.of(name)
    else:
        key = program.resolver.value(name, scope).text or "?"
    return f"{target.path or '?'}.{key}"
