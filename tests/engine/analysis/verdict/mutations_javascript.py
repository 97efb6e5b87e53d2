# ruff: noqa: E501 - templates, several in a line
"""JavaScript in and around the provable subset: programs put together, and mutations of given ones."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.grammar import parse

_KEYS = ("'constr' + 'uctor'", "'__pro' + 'to__'", "'prot' + 'otype'", "['val', 'ueOf'].join('')", "'ca' + 'll'",
         "'__lookupGet' + 'ter__'", "'pu' + 'sh'", "'bi' + 'nd'", "'toStr' + 'ing'", "'__defineGet' + 'ter__'",
         "'appl' + 'y'", "'def' + 'ineProperty'", "'m' + 'ap'", "'th' + 'en'", "'ass' + 'ign'", "'0' + ''", "1",
         "'creat' + 'e'", "'x' + ''", "'setProto' + 'typeOf'", "'callee' + ''")  # fmt: skip
_VALUES = (
    *("() => 1", "{}", "[]", "[1, 2]", "function () { return 1 }", "class {}", "new Map()", "'text'", "1", "null"),
    *("{ x: () => 1 }", "{ m(a) { return a } }", "{ get x() { return $v } }", "{ set x(a) { $c } }", "/a/", "$v", "$v"),
    *("{ [$k]: $v }", "{ ...$v }", "[...$v]", "[$v]", "{ x: $v }", "new $C()", "new $C($v)", "$f($v)", "$f($v, $k)"),
    *("$v[$k]", "$v[$k]", "$v[$k][$k]", "$v.x", "$v.m", "$v?.x", "$v ?? $v", "$v || $v", "($v, $v)", "$v.x($v)"),
    *("Object.assign({}, $v)", "Object.assign($v, $v)", "Object.create($v)", "Object.values($v)", "Object.freeze($v)"),
    *("Object.entries($v)", "Object.fromEntries([[$k, $v]])", "JSON.parse('{\"__proto__\": [], \"x\": {}}')"),
    *("$v.map((a, b) => $e)", "[$v].map(a => $e)", "[$v].forEach((a, b, c) => $e)", "[$v].map($v, $v)"),
    *("[1, 2].reduce((a, b) => $e, $v)", "[$v, $v].sort((a, b) => $e)", "'ab'.replace(/a/, $v)", "[$v].concat($v)"),
    *("[$v].find(a => $e)", "[$v].pop()", "[$v].values().next().value", "new Map([[$k, $v]]).get($k)", "$v.bind($v)"),
    *("$v.call($v, $v)", "$v.apply($v, [$v])", "new Promise((a, b) => $e)", "Promise.resolve($v).then(a => $e)"),
    *("Array.from([$v], (a, b) => $e)", "Array.from({ length: 2 }, (a, b) => $v)", "Math.max", "Number", "console.log"),
    *("JSON.stringify($v, (a, b) => $e)", "JSON.parse('[1]', (a, b) => $v)", "JSON.parse('1', $v)", "Array.prototype.slice.call($v)", "(a => $e)($v)", "((...a) => a)($v, $k)"),
    *("function* () { const a = yield $v; $c }", "async () => { const a = await $v; $c }", "$v instanceof $C", "typeof $v"),
    *("(function () { return arguments })($v)", "(function () { return arguments[0] })($v)", "$v = $v", "$v[$k] = $v"),
    *("(() => { 'use strict'; return this })()", "(function () { 'use strict'; return this })()", "$v.x = $v", "this"),
    *("Object.prototype.valueOf.call($v)", "Array.of($v)", "new Set([$v])", "[$v][0]", "[$v].at(0)", "$v.valueOf()"),
    *("{ toString: $v }", "{ valueOf: () => $k }", "{ then: $v }", "{ next: () => ({ value: $v, done: false }) }"),
)  # fmt: skip
_STATEMENTS = (
    *("const $n = $e", "let $n = $e", "var $n = $e", "$v = $e", "$v[$k] = $e", "$v.x = $e", "$v.m = $e", "$v.y = $e"),
    *("$v($e)", "$v[$k]($e)", "$v.x($e)", "$v.m($e)", "$v.push($e)", "$v[$k].push($e)", "$v[$k][$k] = $e", "delete $v[$k]"),
    *("$v[$k].x = $e", "new $v($e)", "$v[$k][$k]($e)", "$v[$k]($v)($e)", "$e", "$v.sort()", "$v[$k].fill($e)"),
    *("for (const $n of [$e]) { $c }", "for (const $n in $e) { $c }", "for (const [$n, $m] of Object.entries($e)) { $c }"),
    *("const { x: $n, ...$m } = $e", "const { [$k]: $n } = $e", "const [$n, $m = $v] = $e", "const { x: $n = $v } = $e"),
    *("function $n(a, b) { $c; return $e }", "const $n = (a, b) => $e", "function $n(a, b = $v, ...c) { $c; return a }"),
    *("class $n { x = $e; m(a) { return this[$k] } static s(a) { return this[$k] } }", "const $n = new $C($e)"),
    *("class $n extends $C { constructor(a) { super(a); this.y = a } m(a) { return $e } }", "$v.s($e)", "$C.x = $e"),
    *("class $n { get x() { return $e } set x(a) { $c } m() { return this } *[Symbol.iterator]() { yield $e } }",),
    *("async function $n(a) { const b = await a; $c; return b } $n($e)", "function* $n(a) { const b = yield a; $c }"),
    *("if ($e) { function $n(a) { return $e } } else { $c }", "label: for (;;) { $c; break label }", "setTimeout(() => $e)"),
    *("switch ($e) { case 1: { $c } default: $c }", "$v += $e", "$v ||= $e", "[$v, $v] = [$e, $e]", "({ x: $v } = $e)"),
    *("function $n(a) { arguments[0] = $e; $c; return a }", "$n = $e", "module.exports = $e", "throw $e", "console.log($e)"),
    *("{ function fetch(a) { $c } } fetch($e)", "{ async function require(a) { $c } } require('fs')"),
    *("{ let fetch = $e; { function fetch() { $c } } } fetch($e)", "switch ($e) { default: function* fetch() {} } fetch($e)"),
    *("function $n() { 'use strict'; { function fetch() { $c } } return fetch($e) }", "{ function $n(a) { $c } } $n($e)"),
    *("var $v = $e", "Object.assign($v, { [$k]: $v })", "$v.__proto__ = $e", "$C.prototype.z = $e", "process.stdout.write($e)"),
)  # fmt: skip
_MOST_DEEP = 3


class ProgramWriter:
    """Writes random programs over a few variables, so that values meet."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._fresh = 0

    def program(self) -> str:
        """Return a program of a few statements, each of which may fail."""
        self._fresh = 0
        lines = ["let v0 = {}, v1 = [], v2 = () => 1, v3 = 'x'", "class C0 { m(a) { return a } }"]
        keys = self._chance.sample(_KEYS, 3)
        lines += [f"const k{number} = {key}" for number, key in enumerate(keys)]
        lines += [self._guarded(self._statement(0)) for _ in range(self._chance.randint(2, 9))]
        lines += [self._guarded(f"v{number}('x')") for number in range(4) if self._chance.random() < 0.3]
        return ";\n".join(lines) + ";\n"

    def _guarded(self, line: str) -> str:
        declares = line.split(" ", 1)[0] in {"const", "let", "class", "function", "function*", "async", "var"}
        return line if declares else f"try {{ {line} }} catch (e) {{ v3 = e }}"

    def _statement(self, depth: int) -> str:
        return self._fill(self._chance.choice(_STATEMENTS), depth)

    def _expression(self, depth: int) -> str:
        if depth >= _MOST_DEEP:
            return self._name()
        return self._fill(f"({self._chance.choice(_VALUES)})", depth + 1)

    def _fill(self, text: str, depth: int) -> str:
        parts = text.split("$")
        filled = parts[0]
        for part in parts[1:]:
            filled += self._part(part[0], depth) + part[1:]
        return filled

    def _part(self, kind: str, depth: int) -> str:
        match kind:
            case "k":
                return self._chance.choice(("k0", "k1", "k2", "0", "'x'", "v3", "a"))
            case "e":
                return self._expression(depth)
            case "c":
                return self._statement(depth + 1) if depth < _MOST_DEEP else self._name()
            case "n" | "m":
                self._fresh += 1
                return f"v{3 + self._fresh}"
            case "C":
                return self._chance.choice(("C0", "Map", "Array", "Error", self._name()))
            case _:
                return self._name()

    def _name(self) -> str:
        return self._chance.choice(
            ("v0", "v1", "v2", "v3", f"v{self._chance.randint(0, 3 + self._fresh)}", "a", "b")
        )


def programs(seed: int, sources: tuple[str, ...]) -> Iterator[str]:
    """Yield programs without end, the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the same programs every time
    writer = ProgramWriter(chance)
    pool = sorted({part for source in sources for part in _expressions(source)})
    while True:
        yield writer.program()
        yield _mutated(chance, chance.choice(sources), pool)


def _expressions(source: str) -> Iterator[str]:
    data = source.encode()
    for node in _nodes(source):
        if node.type.endswith("expression") or node.type in {
            "identifier",
            "array",
            "object",
            "arrow_function",
        }:
            yield data[node.start_byte : node.end_byte].decode()


def _nodes(source: str) -> list[Node]:
    found, stack = [], [parse(source).root]
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node.named_children)
    return found


def _mutated(chance: random.Random, source: str, pool: list[str]) -> str:
    """Return a source some of whose expressions and names are replaced."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        nodes = [node for node in _nodes(source) if node.type in _REPLACED]
        if not nodes:
            break
        node, data = chance.choice(nodes), source.encode()
        old = data[node.start_byte : node.end_byte].decode()
        new = chance.choice(_REPLACED[node.type] or pool)
        text = new.replace("@", old) if chance.random() < 0.7 else chance.choice(pool)
        source = (data[: node.start_byte] + text.encode() + data[node.end_byte :]).decode()
    return source


_REPLACED: dict[str, tuple[str, ...]] = {
    "identifier": ("@['constr' + 'uctor']", "@['__pro' + 'to__']", "(() => @)", "[@]", "{ x: @ }", "arguments", "this"),
    "property_identifier": ("constructor", "prototype", "call", "bind", "map", "x", "then", "push", "__proto__", "apply"),
    "call_expression": ("@['constr' + 'uctor']", "@('x')", "@.map(f => f('x'))", "new @", "(@).x", "[@]", "(a => a)(@)"),
    "member_expression": ("@['constr' + 'uctor']('x')", "(@ = () => 1)", "@.call", "@('x')", "[@][0]", "{ x: @ }.x"),
    "subscript_expression": ("@[@]", "@('x')", "(@ = () => 1)", "@.push(1)", "@.x = 1", "delete @", "[...@]"),
    "arrow_function": ("(@)('constr' + 'uctor')", "(@)['constr' + 'uctor']", "function () { return this }", "Function"),
    "string": ("('constr' + 'uctor')", "'constructor'", "`constructor`", "k", "('__pro' + 'to__')", "(@ + @)"),
    "number": ("('constr' + 'uctor')", "[@]", "() => @", "'@'", "-@"),
    "object": ("[@]", "(() => 1)", "Object.create(@)", "{ ...@ }", "Object.assign(() => 1, @)", "class {}"),
    "array": ("{ x: @ }", "[@]", "[...@, () => 1]", "@.map(f => f['constr' + 'uctor'])"),
    "binary_expression": ("(@, () => 1)", "[@]", "(@ || (() => 1))", "(@)['constr' + 'uctor']"),
}  # fmt: skip
