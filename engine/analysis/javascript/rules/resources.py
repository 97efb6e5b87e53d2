"""Unbounded loops, memory, processes and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import CONSUMPTION, HIGH, MEDIUM, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.operators import operator_of
from engine.analysis.javascript.values import JavaScriptScope
from engine.analysis.regexes import explodes
from engine.models import Confidence, Violation

ENDLESS = rule(
    "js-endless-loop",
    "Loops without an exit",
    "resources",
    MEDIUM,
    attack="Keeps a processor busy until the time limit.",
    why="MEDIUM: the time limit of the run ends it; HIGH where it fills the memory.",
    fix="Give the loop an exit.",
    match=("while (true) { x++ }", "for (;;) {}", "do { f() } while (1)"),
    not_match=(
        "while (true) { if (x) break; }",
        "for (let i = 0; i < 3; i++) {}",
        "while (true) { await f(); }",
        "function* g() { while (true) yield 1; }",
    ),
    cwe=835,
    owasp=CONSUMPTION,
)
HUGE = rule(
    "js-huge-allocation",
    "Requests a huge amount of memory",
    "resources",
    HIGH,
    attack="Fills the memory until the machine fails.",
    why=(
        "HIGH: the limits of the run end it, but it does nothing useful; MEDIUM where it grows by doubling."
    ),
    fix="Allocate only what is needed, and state how much.",
    match=(
        "'x'.repeat(1e10)",
        "Buffer.alloc(8 * 1024 ** 3)",
        "new Array(4e9).fill(0)",
        "new Uint8Array(5e9)",
        "let s = 'a';\nfor (let i = 0; i < 64; i++) { s += s; }",
        "let a = [1];\nwhile (go()) { a = a + a; }",
    ),
    not_match=(
        "'x'.repeat(100)",
        "Buffer.alloc(1024)",
        "new Array(10).fill(0)",
        "let n = 1;\nwhile (n < 9e9) { n += n; }",
        "let s = 'a';\nfor (let i = 0; i < 3; i++) { s += s; }",
    ),
    cwe=770,
    owasp=CONSUMPTION,
)
FORK_BOMB = rule(
    "js-fork-bomb",
    "Starts itself again, or starts processes without a limit",
    "resources",
    HIGH,
    attack="Fills the process table until nothing else can start.",
    why="HIGH: the limits of the run end it, but it does nothing useful.",
    fix="Remove it.",
    match=(
        "while (true) { require('child_process').fork(__filename) }",
        "for (;;) require('child_process').spawn('sleep', ['9'])",
    ),
    not_match=("require('child_process').spawn('ls')", "while (true) { break; }"),
    cwe=400,
    owasp=CONSUMPTION,
)
REGEX = rule(
    "js-explosive-regex",
    "Has a regular expression that can take exponential time",
    "resources",
    MEDIUM,
    attack="Stops the program with one crafted text (ReDoS).",
    why="MEDIUM: needs a hostile text, and the time limit of the run ends it.",
    fix="Do not nest repetitions.",
    match=("/(a+)+$/.test(x)", "new RegExp('^(([a-z])+.)+[A-Z]([a-z])+$')", "/(.*)*x/", "/^(a|aa)+$/"),
    not_match=("/^a+b$/", "/(ab)+/", "/(?:a|b)*/"),
    cwe=1333,
    owasp=CONSUMPTION,
    confidence=Confidence.MEDIUM,
)

_TOO_MUCH = 2**30
_FAR = 1e11
"""Turns of a loop that take more than a minute."""
_ARRAYS = re.compile(
    r"^(?:Array|ArrayBuffer|SharedArrayBuffer|(?:Uint|Int|Float|BigInt|BigUint)(?:8|16|32"
    r"|64)(?:Clamped)?Array|Buffer\.alloc\w*|Buffer)$"
)

_ENDS = frozenset(
    {"break_statement", "return_statement", "throw_statement", "await_expression", "yield_expression"}
)

_OWN_LOOPS = frozenset(
    {"for_statement", "while_statement", "do_statement", "for_in_statement", "switch_statement"}
)
_FUNCTIONS = frozenset({"function_declaration", "function_expression", "arrow_function", "method_definition"})
_FOREVER = re.compile(
    r"^\(\s*(?:true|[1-9]\d*|!0|!false|!null|!!\s*(?:1|\[\]|\{\})|'[^']+'|\"[^\"]+\")\s*\)$"
)
_STARTS = re.compile(r"^child_process\.\w+$|^cluster\.fork$|^Worker$|^worker_threads\.Worker$")
_EXITS = re.compile(r"\bprocess\s*\.\s*(?:exit|abort|kill)\b")
_GROWS = re.compile(r"\.(?:push|unshift|concat)\(|\.\.\.\w+\s*[,\]]|\bBuffer\.(?:alloc|concat)")
"""What adds to a collection in each turn of a loop."""
_NESTED = re.compile(r"\((?:\?:)?((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*)\)(?:[+*]|\{\d+,\})")


def check(program: Program) -> Iterator[Violation]:
    """Yield what has no bounds."""
    for node, scope in program.names.of("while_statement", "do_statement", "for_statement"):
        if _is_endless(program, node, scope):
            starts = any(
                _STARTS.match(call.path) and node.start_byte <= call.node.start_byte < node.end_byte
                for call in program.calls
            )
            rule = FORK_BOMB if starts else ENDLESS
            grows = rule is ENDLESS and _GROWS.search(program.tree.of(node)) is not None
            severity = HIGH if grows else None
            yield rule.violation(program.tree.span(node), program.text(node), severity=severity)
    for call in program.calls:
        if _is_huge(call):
            yield found(HUGE, program, call)
        elif call.path == "RegExp" and call.arg(0).known and is_explosive(call.arg(0).text):
            yield found(REGEX, program, call)
        elif (
            call.path == "child_process.fork"
            and call.nodes
            and program.tree.of(call.nodes[0]) == "__filename"
        ):
            yield found(FORK_BOMB, program, call)
    for node, _ in program.names.of("regex"):
        pattern = node.child_by_field_name("pattern")
        if pattern is not None and is_explosive(program.tree.of(pattern)):
            yield REGEX.violation(program.tree.span(node), program.text(node))


def _is_endless(program: Program, node: Node, scope: JavaScriptScope) -> bool:
    if node.type == "for_statement":
        condition = node.child_by_field_name("condition")
        text = program.tree.of(condition).strip("; \n\t") if condition is not None else ""
        if text and not _FOREVER.match(f"({text})") and not _is_far(program, condition, scope):
            return False
    else:
        condition = node.child_by_field_name("condition")
        if condition is None or not _FOREVER.match(program.tree.of(condition)):
            return False
    body = node.child_by_field_name("body")
    return body is not None and not _ends(program, body)


def _is_far(program: Program, condition: Node | None, scope: JavaScriptScope) -> bool:
    """`i < 1e15`: not endless, but far too long."""
    if condition is not None and condition.type == "expression_statement" and condition.named_children:
        condition = condition.named_children[0]
    if (
        condition is None
        or condition.type != "binary_expression"
        or not operator_of(condition).startswith("<")
    ):
        return False
    limit = program.resolver.value(condition.child_by_field_name("right"), scope)
    return limit.kind == "number" and float(limit.text) >= _FAR


def _ends(program: Program, body: Node) -> bool:
    if _EXITS.search(program.tree.of(body)):
        return True
    stack = [(body, True)]
    for _ in range(20_000):
        if not stack:
            return False
        node, here = stack.pop()
        if node.type in _FUNCTIONS:
            continue
        if node.type in _ENDS and (here or node.type != "break_statement" or node.named_children):
            return True
        inner = here and node.type not in _OWN_LOOPS
        stack.extend((child, inner) for child in node.named_children)
    return True


def _is_huge(call: JavaScriptCall) -> bool:
    size = call.arg(0)
    if size.kind != "number":
        return False
    number = float(size.text)
    if call.path.endswith("repeat") or call.path.endswith((".padStart", ".padEnd")):
        return number >= _TOO_MUCH / 4
    return bool(_ARRAYS.match(call.path)) and number >= _TOO_MUCH / (
        1 if "Buffer" in call.path or "8" in call.path else 4
    )


def is_explosive(pattern: str) -> bool:
    """Return whether a pattern has nested repetitions: its time grows exponentially with the text."""
    if len(pattern) > 2000 or not re.search(r"\)[+*{]", pattern):
        return False
    if explodes(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern)):
        return True
    for match in _NESTED.finditer(pattern):
        inner = match[1]
        branches = inner.split("|") if "(" not in inner else [inner]
        if any(_is_open(branch) for branch in branches):
            return True
    return False


def _is_open(branch: str) -> bool:
    """A branch such as `a+`, `.*` or `[a-z]+x*`: nothing in it is fixed."""
    plain = re.sub(
        r"\\.", "x", re.sub(r"\[(?:[^\]\\]|\\.)*\]", "x", branch.replace("(", "").replace(")", ""))
    )
    return bool(
        re.fullmatch(r"\^?(?:[^*+?{}|][+*]\??|\.|[^*+?{}|]\{\d+,\}|[^*+?{}|][*?]\??)+\$?", plain)
    ) and bool(re.search(r"[+*]|\{\d+,\}", plain))
