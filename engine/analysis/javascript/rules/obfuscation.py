"""Obfuscated code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import HIGH, MEDIUM, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program, shown
from engine.analysis.javascript.rules.execution import EVALUATORS, LAUNCHERS
from engine.analysis.javascript.values import JavaScriptScope, unescaped
from engine.models import Confidence, Violation

MANGLED = rule(
    "js-obfuscated",
    "Is obfuscated",
    "obfuscation",
    HIGH,
    attack="Hides what the code does from reviewers and scanners.",
    why="HIGH: a reviewer cannot judge it; minified code is MEDIUM.",
    fix="Submit the source.",
    match=(
        "[][(![]+[])[+[]]+(![]+[])[!+[]+!+[]]+(![]+[])[+!+[]]+(!![]+[])[+[]]]" * 4,
        "var _0x1a2b=['log'];(function(_0x3c4d,_0x5e6f){_0x3c4d.push(_0x3c4d.shift())})(_0x1a2b,1)",
        "eval(function(p,a,c,k,e,d){return p}('0 1',2,2,'a|b'.split('|'),0,{}))",
    ),
    not_match=("const a = [1, 2, 3].map(x => x + 1)", "let _0 = 1", "!![]"),
    cwe=506,
)
ESCAPED = rule(
    "js-escaped-text",
    "Writes plain text as escapes",
    "obfuscation",
    MEDIUM,
    attack="Keeps words from being read or found by a search.",
    why="MEDIUM: the message shows the text.",
    fix="Write the text without escapes.",
    match=(
        "const a = '\\x63\\x68\\x69\\x6c\\x64\\x5f\\x70\\x72\\x6f\\x63'",
        "x = '\\u0065\\u0076\\u0061\\u006c\\u0028\\u0031\\u0029'",
    ),
    not_match=("'\\x1b[31mred\\x1b[0m'", "'\\u00e9\\u00e8\\u00ea\\u00e0\\u00f9\\u00fb'", "'a\\n\\tb'"),
    cwe=506,
)
HIDDEN_NAME = rule(
    "js-hidden-name",
    "Assembles a dangerous name from parts",
    "obfuscation",
    HIGH,
    attack="Calls eval, require or a shell under a name that no search finds.",
    why="HIGH: such a name is split only to hide it; the message shows the name.",
    fix="Write the name.",
    match=(
        "globalThis['ev' + 'al']('1')",
        "require('child_' + 'process')",
        "global[atob('ZXZhbA==')]('1')",
        "global[String.fromCharCode(101, 118, 97, 108)]('1')",
    ),
    not_match=("obj['a' + 'b']()", "require('./a' + '.js')", "window['fetch']('/a')"),
    cwe=506,
)
ENCODED = rule(
    "js-encoded-literal",
    "Contains a long encoded string",
    "obfuscation",
    MEDIUM,
    attack="Carries a payload that is decoded later.",
    why="MEDIUM: pictures and certificates look the same.",
    fix="Send the data as an input file.",
    match=("const a = '" + "QUJDr2" * 60 + "'", "const b = '" + "4a6f686e" * 50 + "'"),
    not_match=("const a = '" + "lorem ipsum " * 40 + "'", "const c = '" + "a" * 500 + "'"),
    cwe=506,
    confidence=Confidence.MEDIUM,
)
TABLE = rule(
    "js-code-table",
    "Decodes text through a custom alphabet",
    "obfuscation",
    MEDIUM,
    attack="Writes the payload in dots and dashes, or other symbols that scanners do not recognise.",
    why="MEDIUM: a teaching example of Morse code looks the same.",
    fix="Write the text directly.",
    match=(
        "const t = {"
        + ",".join(f"'{'.' * (n % 5 + 1)}{'-' * (n // 5)}': '{chr(97 + n)}'" for n in range(25))
        + "}",
    ),
    not_match=("const t = { '+': 'a', '-': 'b' }", "const m = { a: '.-', b: '-...' }"),
    cwe=506,
    confidence=Confidence.LOW,
)

_MANGLED_NAME = re.compile(r"\b_0x[0-9a-fA-F]{3,}\b")
_SIGN_NAME = re.compile(r"(?<![\w$])[$_]{2,}(?![\w$])")
_SIGNS = "[]()!+{}$_~\"\\.,;:='<>/|&-"
_ESCAPES = re.compile(r"\\x[2-7][0-9a-fA-F]|\\u00[2-7][0-9a-fA-F]|\\u\{[2-7][0-9a-fA-F]\}")
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{240,}={0,2}|(?:[0-9a-fA-F]{2}){120,}")
_PACKED = re.compile(r"eval\s*\(\s*function\s*\(\s*p\s*,\s*a\s*,\s*c\s*,\s*k\s*,\s*e")
_DANGEROUS = re.compile(
    r"^(?:eval|Function|require|process|child_process|exec\w*|spawn\w*|constructor|atob|fs|net|vm|http"
    r"|https|import|module)$"
)


def check(program: Program) -> Iterator[Violation]:
    """Yield disguises, from whole programs down to single names."""
    whole = _mangled(program)
    if whole:
        node = program.tree.root
        yield MANGLED.violation(program.tree.span(node), whole)
    yield from _escapes(program)
    yield from _names(program)
    yield from _literals(program)
    for node, _ in program.names.of("object"):
        if _is_table(program, node):
            yield TABLE.violation(program.tree.span(node), program.text(node)[:80])


def _mangled(program: Program) -> str:
    """Return why the program as a whole cannot be read, or nothing."""
    text = program.tree.text
    if "_0x" in text and len(set(_MANGLED_NAME.findall(text))) >= 3:
        return "Names like _0x1a2b: made by an obfuscator"
    if _PACKED.search(text):
        return "Packed: unpacks itself with eval"
    if len(set(_SIGN_NAME.findall(text))) >= 8:
        return "Names made of $ and _ alone (JJEncode)"
    dense = "".join(text.split())
    if len(dense) >= 120 and sum(map(dense.count, _SIGNS)) / len(dense) > 0.88:
        return "Written in signs alone (JSFuck)"
    return ""


def _escapes(program: Program) -> Iterator[Violation]:
    several = []
    for node, _ in program.names.of("string", "template_string"):
        raw = program.tree.of(node) if node.end_byte - node.start_byte > 8 else ""
        if "\\" not in raw:
            continue
        count = len(_ESCAPES.findall(raw))
        if count >= 6 and count * 6 >= len(raw) / 2:
            yield ESCAPED.violation(program.tree.span(node), f"Reads as {unescaped(raw[1:-1])[:80]!r}")
        elif count >= 2:
            several.append(node)
    if len(several) >= 4:
        spans = tuple(program.tree.span(node) for node in several)
        yield ESCAPED.violation(spans[0], f"{len(spans)} strings in escapes", related=spans[1:50])


def _names(program: Program) -> Iterator[Violation]:
    for node, scope in program.names.of("subscript_expression"):
        index = node.child_by_field_name("index")
        if index is None or (index.type in {"string", "number"} and "\\" not in program.tree.of(index)):
            continue
        value = program.resolver.value(index, scope)
        if value.known and _DANGEROUS.match(value.text):
            yield HIDDEN_NAME.violation(
                program.tree.span(node),
                f"Resolves to {shown(value)}",
                evidence=tuple(step.evidence for step in value.origin),
                layers=value.layers,
            )
    for call in program.calls:
        if _hides(program, call):
            yield found(HIDDEN_NAME, program, call, f"Resolves to {shown(call.arg(0))}")


def _hides(program: Program, call: JavaScriptCall) -> bool:
    """A module's name put together at the place where it is loaded, or decoded before."""

    if (
        not call.nodes
        or not call.path.endswith(("require", "import", "_load", "binding"))
        or not call.arg(0).known
    ):
        return False
    name = call.arg(0)
    if not _DANGEROUS.match(name.text.removeprefix("node:")):
        return False
    raw = program.tree.of(call.nodes[0])

    pieces = (
        call.nodes[0].type in {"binary_expression", "call_expression", "subscript_expression"} or "\\" in raw
    )
    return pieces or bool(name.layers) or _is_built(program, call.nodes[0], call.scope)


def _is_built(program: Program, node: Node, scope: JavaScriptScope) -> bool:
    if node.type != "identifier":
        return False
    binding = scope.find(program.tree.of(node))
    definitions = binding.definitions if binding is not None else []

    return any(
        d.operator != "="
        or (d.value is not None and d.value.type in {"binary_expression", "call_expression"})
        for d in definitions
    )


def _literals(program: Program) -> Iterator[Violation]:
    if len(program.tree.text) < 240:
        return
    within: range = range(0)
    for node, _ in program.names.of("string", "template_string"):
        if node.end_byte - node.start_byte < 240 or node.start_byte in within:
            continue
        within = range(node.start_byte, node.end_byte)
        match = _ENCODED.search(program.tree.of(node))
        if match and len(set(match[0])) > 5:
            yield ENCODED.violation(
                program.tree.span(node), f"{len(match[0])} characters: {match[0][:24]}…", severity=MEDIUM
            )
            return


def _is_table(program: Program, node: Node) -> bool:
    pairs = [child for child in node.named_children if child.type == "pair"]
    if len(pairs) < 20:
        return False
    keys = [program.tree.of(pair.child_by_field_name("key") or pair).strip("\"'`") for pair in pairs]
    values = [program.tree.of(pair.child_by_field_name("value") or pair).strip("\"'`") for pair in pairs]
    signs = sum(bool(key) and not any(char.isalnum() for char in key) for key in keys)
    return (
        signs == len(keys)
        and len(set("".join(keys))) <= 5
        and sum(len(value) == 1 for value in values) > len(values) * 0.9
    )


__all__ = ["EVALUATORS", "LAUNCHERS", "check"]
