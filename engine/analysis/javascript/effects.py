"""Predicted effects of a program: hosts, ports, files, commands, variables and modules, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.analysis.effects import Effect, address, predicted_effects
from engine.analysis.javascript.library import REQUIRES, module_path
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.rules.execution import LAUNCHERS
from engine.analysis.javascript.rules.files import DELETES, WRITES, path_of
from engine.analysis.javascript.rules.network import TALKS
from engine.analysis.javascript.values import UNKNOWN, JavaScriptValue
from engine.models import EffectKind, PredictedEffect

_URL = re.compile(r"^(?:https?|wss?|ftps?)://[^\s'\"<>]+", re.IGNORECASE)
_READS = re.compile(
    r"^fs\.(?:promises\.)?(?:read|createRead|open|access|stat|lstat|exists|opendir|watch|cp|copyFile)"
)
_NO_PATH = re.compile(r"^fs\.(?:promises\.)?(?:read|write|close|fstat|readv|writev)(?:Sync)?$")
_BUILT_IN = frozenset(
    [
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "sys",
        "test",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
        "sqlite",
        "sea",
    ]
)
_ENV = re.compile(r"^process\.env\.(\w+)$")


def effects(program: Program) -> list[PredictedEffect]:
    """Return the predicted effects of the program."""
    return predicted_effects(_effects(program))


def _effects(program: Program) -> Iterator[Effect]:
    yield from _modules(program)
    yield from _environment(program)
    for call in program.calls:
        yield from _files(program, call)
        yield from _network(call, program)
        yield from _commands(program, call)


def _modules(program: Program) -> Iterator[Effect]:
    for node, _ in program.names.of("import_statement", "export_statement"):
        source = node.child_by_field_name("source")
        if source is not None:
            yield from _module(program.tree.of(source)[1:-1], program.tree.span(node).line)
    for call in program.calls:
        if call.path in REQUIRES and "inding" not in call.path and call.args:
            name = call.arg(0)
            yield from _module(name.text if name.kind == "text" else UNKNOWN, call.span.line)


def _module(name: str, line: int) -> Iterator[Effect]:
    yield Effect(EffectKind.MODULE, name, line)
    plain = name.removeprefix("node:")

    if (
        name
        and UNKNOWN not in name
        and not name.startswith((".", "/", "node:", "#", "http"))
        and plain.split("/")[0] not in _BUILT_IN
    ):
        parts = plain.split("/")
        package = "/".join(parts[:2]) if plain.startswith("@") else parts[0]
        yield Effect(EffectKind.PACKAGE, package, line, "not in the standard library")


def _environment(program: Program) -> Iterator[Effect]:
    if "process" not in program.tree.text and "env" not in program.tree.text:
        return
    seen: set[str] = set()
    for node, value in program.paths():
        match = _ENV.match(value.path) if value.path.startswith("process.env") else None
        if match and (node.type != "identifier" or match[1] not in seen):
            seen.add(match[1])
            yield Effect(EffectKind.ENVIRONMENT, match[1], program.tree.span(node).line)
        elif value.path == "process.env.?":
            yield Effect(EffectKind.ENVIRONMENT, UNKNOWN, program.tree.span(node).line)
    for call in program.calls:
        if any(arg.path == "process.env" for arg in call.args):
            yield Effect(EffectKind.ENVIRONMENT, UNKNOWN, call.span.line)


def _files(program: Program, call: JavaScriptCall) -> Iterator[Effect]:
    if not call.args or "()" in call.path or not call.path.startswith(("fs.", "rimraf", "del")):
        return
    line = call.span.line
    if DELETES.match(call.path):
        yield Effect(EffectKind.WRITE, path_of(program, call, 0), line, "deleted")
    elif _READS.match(call.path) and not _NO_PATH.match(call.path):
        yield Effect(EffectKind.READ, path_of(program, call, 0), line)
    if WRITES.match(call.path) and not _NO_PATH.match(call.path):
        target = 1 if re.search(r"\.(?:copy|cp|rename|move)", call.path) else 0
        yield Effect(EffectKind.WRITE, path_of(program, call, target), line)


def _network(call: JavaScriptCall, program: Program) -> Iterator[Effect]:
    if not TALKS.match(call.path):
        return
    line = call.span.line
    texts = [arg for arg in call.args if arg.kind == "text"]
    for arg in texts:
        yield from _address(arg.text, line)
    if call.path.startswith(("net.", "tls.", "dgram.", "dns.")):
        for arg in call.args:
            if arg.kind == "number":
                yield Effect(EffectKind.PORT, arg.text, line)
            elif arg.kind == "text" and not _URL.match(arg.text):
                yield Effect(EffectKind.HOST, arg.text, line)
    for node in call.nodes:
        if node.type == "object":
            yield from _options(program.resolver.value(node, call.scope), program, call, line)
    if not texts and not any(node.type == "object" for node in call.nodes) and call.args:
        yield Effect(EffectKind.HOST, UNKNOWN, line)


def _address(text: str, line: int) -> Iterator[Effect]:
    return address(text, line) if _URL.match(text) else iter(())


def _options(options: JavaScriptValue, program: Program, call: JavaScriptCall, line: int) -> Iterator[Effect]:
    if options.node is None:
        return
    for pair in options.node.named_children:
        key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if key is None or value is None:
            continue
        name, given = program.tree.of(key).strip("\"'"), program.resolver.value(value, call.scope)
        if name in {"host", "hostname"} and given.kind == "text":
            yield Effect(EffectKind.HOST, given.text, line)
        elif name == "port" and given.kind in {"number", "text"}:
            yield Effect(EffectKind.PORT, given.text, line)
        elif name in {"url", "uri", "baseURL"} and given.kind == "text":
            yield from _address(given.text, line)


def _commands(program: Program, call: JavaScriptCall) -> Iterator[Effect]:
    if call.path.startswith(LAUNCHERS) and call.args and module_path(call.path) and "()" not in call.path:
        command = call.arg(0)
        text = command.text if command.kind == "text" else UNKNOWN
        yield Effect(
            EffectKind.COMMAND,
            text.split()[0] if text.strip() and UNKNOWN not in text else text,
            call.span.line,
        )
