"""JavaScript that is called harmless only computes and prints, and code that does is called so."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from engine.analysis import analyse
from engine.analysis.registry import RULES
from engine.analysis.verdict.javascript import property_names, tree
from engine.analysis.verdict.javascript.proof import prove
from engine.models import Language, Level, Verdict
from tests.engine.analysis.verdict.attacks_javascript import ATTACKS
from tests.engine.analysis.verdict.attacks_javascript_objects import ATTACKS as OBJECTS
from tests.engine.analysis.verdict.attacks_javascript_protocols import ATTACKS as PROTOCOLS
from tests.engine.analysis.verdict.harmless_javascript import HARMLESS
from tests.engine.analysis.verdict.node import node

NODE, VERSION = node()
_VIOLATING = [
    pytest.param(code, id=f"{rule.id}-{number}")
    for rule in RULES.values()
    if Language.JAVASCRIPT in rule.languages and rule.severity is not Level.LOW
    for number, code in enumerate(rule.match)
    if not rule.id.endswith("-not-allowed")
]
_WRAPPERS = (
    "function outer() {{\n{0}\n}}\nouter()",
    "class Outer {{ m() {{\n{0}\n}} }}\nnew Outer().m()",
    "if (false) {{\n{0}\n}}",
    "try {{ null.x }} catch (error) {{\n{0}\n}}",
    "const outer = () => {{\n{0}\n}}\n[outer].map(one => one())",
    "const x9 = 1;\n{0}\n;x9 + 1",
    "'use strict';\n{0}",
)
_NAMES = """
const found = new Set(), seen = new Set();
const stack = ['Object', 'Function', 'Array', 'Number', 'Boolean', 'String', 'Symbol', 'Date', 'Promise',
  'RegExp', 'Error', 'AggregateError', 'Map', 'Set', 'WeakMap', 'WeakSet', 'BigInt', 'Uint8Array',
  'Math', 'JSON', 'BigInt64Array', 'parseInt'].map((name) => globalThis[name]);
stack.push(function* () {}, async () => {}, async function* () {}, (function* () {})(), [].values(),
  new Map().values(), new Set().values(), 'a'.matchAll(/a/g), ''[Symbol.iterator](), /a/d.exec('a'),
  new Error('x'));
while (stack.length) {
  const one = stack.pop();
  if (one === null || !['object', 'function'].includes(typeof one)) continue;
  if (seen.has(one) || one === globalThis) continue;
  seen.add(one);
  stack.push(Object.getPrototypeOf(one));
  for (const key of Reflect.ownKeys(one)) {
    if (typeof key === 'string' && !/^\\d+$/.test(key)) found.add(key);
    const { value, get, set } = Object.getOwnPropertyDescriptor(one, key);
    stack.push(value, get, set);
  }
}
console.log(JSON.stringify([...found]));
"""


@pytest.mark.parametrize("code", [*ATTACKS, *OBJECTS, *PROTOCOLS])
def test_no_attack_is_proven(code: str) -> None:
    """Each way around the proof is refused at a place inside the code, with a reason."""
    unproven = prove(code)
    assert unproven
    assert all(one.reason.text and one.span.end_line <= code.count("\n") + 1 for one in unproven)


@pytest.mark.parametrize("wrapper", _WRAPPERS)
def test_no_attack_is_proven_inside_other_code(wrapper: str) -> None:
    """An attack that runs inside a function, a class or a branch is refused there, too."""
    for attack in (*ATTACKS, *OBJECTS, *PROTOCOLS):
        code = wrapper.format(attack)
        assert prove(code) or {"this", "super", "arguments"} & set(re.findall(r"\w+", attack)), code


@pytest.mark.parametrize("code", _VIOLATING)
def test_no_violating_example_of_a_rule_is_harmless(code: str) -> None:
    """Code in which a rule above LOW must fire is never called harmless."""
    assert analyse(code, Language.JAVASCRIPT).verdict is not Verdict.HARMLESS


@pytest.mark.parametrize("code", HARMLESS)
def test_plain_programs_are_proven(code: str) -> None:
    """Programs that only compute and print are harmless."""
    assert () == prove(code)
    assert analyse(code, Language.JAVASCRIPT).verdict is Verdict.HARMLESS


def test_the_place_and_the_reason_are_named() -> None:
    """A reviewer is told which expression is not proven, and why."""
    (found,) = prove("const x = 'ä'\nif (x) {\n  console.log('ä', fetch(x))\n}\n")
    assert "`fetch` is not on the list" == found.reason.text
    assert (3, 20, 3, 25) == (
        found.span.line,
        found.span.column,
        found.span.end_line,
        found.span.end_column,
    )


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("class A {}", "a class"),
        ("const f = () => this", "what a function is called on"),
        ("const o = { f() {} }", "a method, a getter or a setter"),
        ("const o = { get x() { return 1 } }", "a method, a getter or a setter"),
        ("function* f() {}", "a generator"),
        ("async function f() {}", "an asynchronous function"),
        ("const f = async () => 1", "an asynchronous function"),
        ("const a = Symbol", "`Symbol`"),
        ("function f() { return arguments }", "`arguments`"),
        ("setTimeout(() => 1)", "`setTimeout`"),
        ("Promise.resolve(1)", "`Promise`"),
        ("String.raw`x`", "a tagged template"),
        ("const o = [Math.abs]\no[0](1)", "a call of what lies under a computed key"),
        ("function F() {}\nnew F()", "an object of a function of the program"),
        ("a: for (;;) break a", "a label"),
        ("(o['x'])(1)", "a call of what lies under a computed key"),
        ("const { Symbol } = {}", "`Symbol`"),
        ("import 'fs'", "`import statement`"),
        ("import('fs')", "`import`"),
        ("debugger", "`debugger statement`"),
        ("for (using x of []) x", "`using`"),
        ("async () => { for await (const x of []) x }", "an asynchronous function"),
    ],
)
def test_what_is_outside_of_the_subset_is_named(code: str, what: str) -> None:
    """What the language calls by itself is refused wherever it stands, and the reason says what it is."""
    assert f"{what} is not in the provable subset" in [one.reason.text for one in prove(code)]


def test_no_name_is_listed_and_reserved() -> None:
    """A property is either safe on every value or on no value."""
    assert frozenset() == property_names.RESERVED & (property_names.METHODS | property_names.DATA_PROPERTIES)


@pytest.mark.skipif(VERSION != 20, reason="Node.js 20, which the image has, is not on this machine")
def test_every_property_of_the_language_is_on_a_list() -> None:
    """What Node.js has on the objects that a program can hold is either listed or reserved."""
    done = subprocess.run([NODE, "-e", _NAMES], capture_output=True, text=True, timeout=60, check=True)
    known = property_names.RESERVED | property_names.METHODS | property_names.DATA_PROPERTIES
    assert set() == {name for name in json.loads(done.stdout) if name not in known}


def test_too_much_code_is_not_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit of nodes nothing is looked at, and nothing is proven."""
    monkeypatch.setattr(tree, "MOST_NODES", 50)
    assert "the code is too long to be proven" == prove("x = 1\n" * 100)[0].reason.text


@pytest.mark.parametrize(
    "code",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "-" * 9999 + "1",
        "x = y" + ".a" * 20_000,
        "[" * 90 + "]" * 90,
        "f(" * 80 + ")" * 80,
        "{" * 119 + "}" * 119,
        "(() => " * 110 + "1" + ")" * 110,
        "1+" * 5000 + "1",
        "a ? b : " * 3000 + "c",
        "if (a) b; else " * 3000 + "c",
    ],
)
def test_deep_nesting_is_answered(code: str) -> None:
    """Nesting ends in an answer, and never in an error."""
    assert analyse(code, Language.JAVASCRIPT).verdict in Verdict
    assert isinstance(prove(code), tuple)


def test_the_places_are_bounded() -> None:
    """Hopeless code lists some places only."""
    assert 60 >= len(prove("\n".join(f"undefined_{n};" for n in range(500))))
