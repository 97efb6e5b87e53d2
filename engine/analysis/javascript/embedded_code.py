"""Analyses code within JavaScript: the arguments of `eval` and `child_process`, in their own language."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.embedded import Place, analyse_embedded, at, from_point
from engine.analysis.javascript.model import JavaScriptCall, Program
from engine.analysis.javascript.rules.execution import EVALUATORS, LAUNCHERS
from engine.analysis.javascript.values import UNKNOWN, JavaScriptValue
from engine.analysis.raw_analysis import RawAnalysis
from engine.models import Language

_TIMERS = {"setTimeout", "setInterval"}
_SHELLS = {"sh", "bash", "zsh", "dash", "/bin/sh", "/bin/bash", "cmd", "cmd.exe", "powershell"}
_BY_WORDS = ("spawn", "spawnSync", "execFile", "execFileSync", "execa", "cross-spawn")


def check(program: Program) -> RawAnalysis:
    """Return what the code within the program does."""
    findings = RawAnalysis()
    for call in program.calls:
        for code, language, node in _codes(program, call):
            if not code.text.strip(UNKNOWN + " \n"):
                continue
            name = "shell" if language is Language.SHELL else call.path.rsplit(".", 1)[-1]
            layer = " -> ".join((*code.layers, name))
            text = code.text.replace(UNKNOWN, "_")
            place = _place(program, node, code, call)
            findings.add(
                analyse_embedded(text, language, program.settings, program.depth, place=place, layer=layer)
            )
    return findings


def _codes(program: Program, call: JavaScriptCall) -> Iterator[tuple[JavaScriptValue, Language, Node | None]]:
    node = call.nodes[0] if call.nodes else None
    if call.path.startswith(LAUNCHERS) and call.args:
        command = call.arg(0)
        if command.kind == "text" and not call.path.endswith((".fork",)):
            words = call.arg(1)
            if call.path.rsplit(".", 1)[-1] in _BY_WORDS and words.kind == "list":
                yield _spawned(command, words), Language.SHELL, None
            else:
                yield command, Language.SHELL, node
        return
    if EVALUATORS.search(call.path) and call.args:
        last = len(call.args) - 1 if call.path.endswith("Function") else 0
        code = call.arg(last)
        if code.kind == "text" and code.text.strip(UNKNOWN):
            yield code, Language.JAVASCRIPT, call.nodes[last] if last < len(call.nodes) else None
    elif call.path in _TIMERS and call.arg(0).kind == "text":
        yield call.arg(0), Language.JAVASCRIPT, node


def _spawned(command: JavaScriptValue, words: JavaScriptValue) -> JavaScriptValue:
    """Return the shell text of a program and its list of words."""
    texts = [item.text if item.kind in {"text", "number"} else UNKNOWN for item in words.items]

    quoted = [
        "'" + text.replace("'", "'\\''") + "'" if text and not text.isalnum() else text for text in texts
    ]
    return JavaScriptValue("text", " ".join([command.text, *quoted]), layers=command.layers)


def _place(program: Program, node: Node | None, code: JavaScriptValue, call: JavaScriptCall) -> Place:
    """A literal without escapes maps character by character; anything else to the call."""
    literal = node is not None and node.type in {"string", "template_string"} and "\r" not in code.text
    if literal and node is not None and program.tree.of(node)[1:-1] == code.text:
        return from_point(*program.tree.lines.point(program.tree.character(node.start_byte + 1)))
    return at(program.tree.span(node) if node is not None else call.span)
