"""Constants are folded, and names are resolved to their library."""

from __future__ import annotations

import pytest

from engine.analysis.javascript.reader import read
from engine.settings import AnalysisSettings


def _calls(source: str) -> list[tuple[str, str]]:
    program = read(source, AnalysisSettings(), 0)
    return [(call.path, call.arg(0).text) for call in program.calls]


@pytest.mark.parametrize(
    ("expected", "source"),
    [
        (("child_process.exec", "ls"), "var {exec: e} = require('child_' + 'process'); e('ls')"),
        (("child_process.exec", "ls"), "import { exec as e } from 'node:child_process'; e('ls')"),
        (("child_process.exec", "ls"), "a = require('child_process'); b = a; b['ex' + 'ec'].call(0, 'ls')"),
        (("child_process.exec", "ls"), "require('util').promisify(require('child_process').exec)('ls')"),
        (("fs.promises.readFile", "a"), "import * as fs from 'fs/promises'; fs.readFile('a')"),
        (("fs.unlinkSync", "x"), "const o = { f: require('fs') }; o.f.unlinkSync('x')"),
        (("fs.unlinkSync", "x"), "const o = {}; o.f = require('fs'); o.f.unlinkSync('x')"),
        (("fs.unlinkSync", "x"), "const { f: { unlinkSync: u } } = { f: require('fs') }; u('x')"),
        (("eval", "1"), "let a = 'ev'; a += 'al'; globalThis[a]('1')"),
        (("eval", "1"), "let a = 'ev'; a = a + 'al'; globalThis[a]('1')"),
        (("eval", "1"), "(0, eval)('1')"),
        (("eval", "alert(1)"), "eval(atob('YWxlcnQoMSk='))"),
        (("eval", "ab"), "eval(String.fromCharCode(97, 98))"),
        (("eval", "hi"), "eval([104, 105].map(c => String.fromCharCode(c)).join(''))"),
        (("eval", "abc"), "eval('cba'.split('').reverse().join(''))"),
        (("eval", "hi"), "eval(Buffer.from('6869', 'hex').toString())"),
        (("eval", "a b"), "eval(unescape('a%20b'))"),
        (("eval", "x\x00y"), "eval(`x${z}y`)"),
        (("eval", "ab"), r"eval('\x61\u{62}')"),
        (("eval", "b"), "const list = ['a', 'b']; eval(list[1])"),
        (("Function", "x"), "Reflect.construct(Function, ['x'])"),
        (("fs.readFileSync", "/etc/x"), "process.mainModule.require('fs').readFileSync('/etc/' + 'x')"),
    ],
)  # fmt: skip
def test_a_call_is_resolved(expected: tuple[str, str], source: str) -> None:
    """Aliases, destructuring, computed members and decoders are followed."""
    assert expected in _calls(source)


def test_a_local_name_hides_the_global_one() -> None:
    """A function of the program's own called exec or eval is not the library's."""
    assert [("", "1")] == _calls("function f(eval) { eval('1') }")


def test_a_name_that_is_assigned_later_keeps_its_value_until_then() -> None:
    """The value at the place of use counts."""
    assert [("f", "a"), ("f", "b")] == _calls("let x = 'a'; f(x); x = 'b'; f(x)")


def test_a_callback_knows_where_its_data_comes_from() -> None:
    """The value that a response passes to `then` is from the network."""
    program = read("fetch(u).then(r => r.text()).then(t => eval(t))", AnalysisSettings(), 0)
    taints = next(call.taints for call in program.calls if call.path == "eval")
    assert "network" in taints


def test_a_long_sum_does_not_overflow() -> None:
    """Ten thousand summands are folded without recursion."""
    calls = _calls("eval(" + "+".join(["'a'"] * 4000) + ")")
    assert ("eval", "a" * 4000) in calls


def test_circular_definitions_end() -> None:
    """Names that are defined by each other are simply not known."""
    assert ("a", "") in _calls("var a = b, b = a; a(b)") or ("", "") in _calls("var a = b, b = a; a(b)")
