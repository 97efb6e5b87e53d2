"""Programs and code that are run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import HIGH, LOW, found
from engine.analysis.javascript.library import module_path
from engine.analysis.javascript.model import Call, Program
from engine.analysis.javascript.rules.execution import (
    CHILD_PROCESS,
    DYNAMIC_MODULE,
    EVAL,
    INTERNALS,
    PROCESS,
    REMOTE_EVAL,
    REVERSE,
    WORKER,
)
from engine.analysis.javascript.values import Value
from engine.models import Violation

LAUNCHERS = (
    "child_process.", "execa", "shelljs.", "cross-spawn", "node-pty.", "zx.", "Bun.spawn", "Deno.run",
    "Deno.Command", "cluster.fork", "node-cmd.", "shell-exec", "nexpect.", "sudo-prompt.",
)  # fmt: skip
_LAUNCHING_MODULES = {
    "child_process",
    "execa",
    "shelljs",
    "cross-spawn",
    "node-pty",
    "node-cmd",
    "shell-exec",
    "sudo-prompt",
}
EVALUATORS = re.compile(
    r"(?:^|\.)(?:eval|Function|AsyncFunction|GeneratorFunction|execScript|runInContext|runInNewContext"
    r"|runInThisContext|compileFunction"
    r"|vm\.Script|vm\.SourceTextModule|Function\.prototype\.constructor|vm2?\.VM\(\)\.run|NodeVM\(\)\.run|isolated-vm.*\.(?:eval|compileScript)|VMScript|_compile"
    r"|node-serialize\.unserialize|funcster\.deepDeserialize|cryo\.parse)$"
)
_TIMERS = {"setTimeout", "setInterval", "setImmediate", "timers.setTimeout", "timers.setInterval"}
_LOADERS = {"require", "import", "module.require", "require.resolve", "importScripts"}
_INTERNAL = re.compile(
    r"^process\.(?:binding|_linkedBinding|dlopen|mainModule|getBuiltinModule|_debugProcess|reallyExit"
    r"|_rawDebug)\b|^module\.constructor\b"
    r"|^module\.(?:Module\.)?_(?:load|extensions|resolveFilename|compile)|^binding\.|^inspector\b"
    r"|^require\.main\.(?:constructor|require)"
    r"|^v8\.(?:setFlags|deserialize)|^repl\.|^(?:ffi|ffi-napi|koffi|ref-napi)\b|^process\.stdin\.constructor|^require\.cache"
)
_SOCKET = re.compile(r"(?:net|tls|dgram)\.|WebSocket$|ws$")
_MAIN_REQUIRE = re.compile(r"\.mainModule\.require$")
_ELSEWHERE = re.compile(r"(?:https?:)?//|data:")
_PROCESS = re.compile(
    r"^process\.(?:kill|abort|setuid|setgid|seteuid|setegid|setgroups|initgroups|umask|chroot)$"
)
_SHELL = re.compile(r"(?:^|[\s/\\])(?:ba|z|da|k|a|c)?sh(?:\s|$)|cmd(?:\.exe)?$|powershell|pwsh")


def check(program: Program) -> Iterator[Violation]:
    """Yield what runs code or programs."""
    sockets = any(_is_socket(call) for call in program.calls)
    loaded = _modules(program)
    used = False
    for call in program.calls:
        if _launches(call):
            used = True
            yield from _launched(program, call, sockets=sockets)
        elif EVALUATORS.search(call.path):
            yield from _evaluated(program, call, call.args[-1] if call.args else None)

        elif (
            call.path in _TIMERS and call.args and call.arg(0).kind in {"text", "unknown"} and _is_text(call)
        ):
            yield from _evaluated(program, call, call.arg(0))
        elif call.path in _LOADERS:
            yield from _loads(program, call)
        elif (_PROCESS.match(call.path) and call.args) or call.path == "process.abort":
            yield found(PROCESS, program, call)
        yield from _inside(program, call)
    for node, name in _imports(program):
        if _ELSEWHERE.match(name):
            yield REMOTE_EVAL.violation(program.tree.span(node), program.text(node))
    if loaded is not None and not used:
        yield CHILD_PROCESS.violation(program.tree.span(loaded), program.text(loaded))


def _modules(program: Program) -> Node | None:
    """Return where a module that starts programs is loaded."""
    for node, name in _imports(program):
        if module_path(name) in _LAUNCHING_MODULES:
            return node
    for call in program.calls:
        if (
            call.path.endswith(("require", "import", "_load"))
            and module_path(call.arg(0).text) in _LAUNCHING_MODULES
        ):
            return call.node
    return None


def _imports(program: Program) -> Iterator[tuple[Node, str]]:
    """Yield the statements that import or export from a module, with its name."""
    for node, _ in program.names.of("import_statement", "export_statement"):
        source = node.child_by_field_name("source")
        if source is not None:
            yield node, program.tree.of(source)[1:-1]


def _launches(call: Call) -> bool:
    if not call.path.startswith(LAUNCHERS) or "()" in call.path:
        return False
    return call.path.removeprefix("child_process.").count(".") <= ("child_process." not in call.path)


def _launched(program: Program, call: Call, *, sockets: bool) -> Iterator[Violation]:
    command = call.arg(0)
    hidden = bool(command.layers) or bool({"network", "decoded"} & command.taints)
    if sockets and command.known and _SHELL.search(command.text) and "spawn" in call.path:
        yield found(REVERSE, program, call)
    else:
        yield found(CHILD_PROCESS, program, call, severity=HIGH if hidden else None)


def _is_socket(call: Call) -> bool:
    return bool(_SOCKET.match(call.path)) and "isIP" not in call.path


def _is_text(call: Call) -> bool:
    value = call.arg(0)
    return value.kind == "text" or bool(value.taints & {"decoded", "network"})


def _evaluated(program: Program, call: Call, code: Value | None) -> Iterator[Violation]:
    if code is None or code.kind in {"function", "object", "number"}:
        return
    if "network" in code.taints:
        yield found(REMOTE_EVAL, program, call)
    elif code.layers or "decoded" in code.taints:
        yield found(EVAL, program, call, "Runs what it decodes", HIGH)
    else:
        yield found(EVAL, program, call, severity=LOW if code.known else None)


def _loads(program: Program, call: Call) -> Iterator[Violation]:
    name = call.arg(0)
    if not call.args or name.kind == "number":
        return
    if name.known:
        if _ELSEWHERE.match(name.text):
            yield found(REMOTE_EVAL, program, call, "Loads code from elsewhere")
        elif re.match(r"/\w", name.text):
            yield found(DYNAMIC_MODULE, program, call, "Loads code from outside of the program")
    elif call.path != "require.resolve" and not _is_beside(program, call):
        yield found(DYNAMIC_MODULE, program, call)


def _is_beside(program: Program, call: Call) -> bool:
    """`require(__dirname + '/x')` and `require(path.join(__dirname, 'x'))` name a file beside it."""
    text = program.tree.of(call.nodes[0]) if call.nodes else ""
    return bool(re.fullmatch(r"(?:path\.\w+\()?\s*__dirname\s*[,+]\s*(['\"`])[^'\"`$]*\1\s*\)?", text))


def _inside(program: Program, call: Call) -> Iterator[Violation]:
    if _INTERNAL.match(call.path) or _MAIN_REQUIRE.search(call.path):
        yield found(INTERNALS, program, call)
    elif call.path.startswith("WebAssembly.") and "validate" not in call.path:
        yield found(WORKER, program, call)
    elif call.path in {"Worker", "SharedWorker", "worker_threads.Worker", "node:worker_threads.Worker"}:
        inline = len(call.nodes) > 1 and "eval" in program.tree.of(call.nodes[1])
        yield found(WORKER, program, call, severity=HIGH if inline else None)
