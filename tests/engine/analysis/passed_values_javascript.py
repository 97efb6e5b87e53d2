"""Rewrites JavaScript so that functions and modules travel as values before they are called.

As `passed_values` does for Python: `PASSED` names all rewrites, by the way in which a value travels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from engine.analysis.javascript.grammar import parse
from engine.analysis.syntax import Tree, walk

_GLOBALS = frozenset({"eval", "fetch"})
_OBJECTS = frozenset({"process"})
_UNMOVABLE = frozenset({"await_expression", "yield_expression", "this"})
"""What means something else in another function."""
_BLOCKS = frozenset({"program", "statement_block"})
"""Where a semicolon in front of a statement keeps it apart from the line before."""


@dataclass(frozen=True)
class Call:
    """A call of a library, its parts already rewritten."""

    module: str
    """The object of the method; nothing where a plain name is called."""
    name: str
    args: tuple[str, ...]
    movable: bool
    """Whether the arguments mean the same in a function of their own."""

    @property
    def function(self) -> str:
        """What is called."""
        return f"{self.module}.{self.name}" if self.module else self.name

    @property
    def listed(self) -> str:
        """The arguments as they are written."""
        return ", ".join(self.args)

    def of(self, function: str) -> str:
        """Call something else with the same arguments."""
        return f"{function}({self.listed})"

    def behind(self, module: str) -> str:
        """Call the method of another expression."""
        return f"{module}.{self.name}({self.listed})"

    def given(self, function: str, *first: str) -> str:
        """Call a function with other arguments before these."""
        return f"{function}({', '.join((*first, *self.args))})"

    @property
    def plain(self) -> str:
        """The call as it was."""
        return self.of(self.function)


Rewrite = Callable[[Call], str]


class _Renderer:
    """Writes a program again, with every call of a library as `rewrite` says."""

    def __init__(self, tree: Tree, rewrite: Rewrite, *, statements: bool = False) -> None:
        self.tree = tree
        self.rewrite = rewrite
        self.statements = statements
        self.imported = set(_imported(tree))

    def text(self, node: Node) -> str:
        """Return the text of a node, its calls rewritten."""
        found = self._call(node)
        if found is not None:
            return self.rewrite(found)
        parts, at = [], node.start_byte
        for child in node.children:
            text = self.text(child)
            opens = child.type == "expression_statement" and node.type in _BLOCKS and text[:1] in {"(", "["}
            parts += [self.tree.slice(at, child.start_byte), ";" * opens, text]
            at = child.end_byte
        return "".join((*parts, self.tree.slice(at, node.end_byte)))

    def _call(self, node: Node) -> Call | None:
        called = node
        if self.statements:
            called = node.named_children[0] if node.type == "expression_statement" else node
            if called is node:
                return None
        if called.type != "call_expression":
            return None
        callee = called.child_by_field_name("function")
        given = called.child_by_field_name("arguments")
        if callee is None or given is None or given.type != "arguments" or not self._is_library(callee):
            return None
        args = [one for one in given.named_children if one.type != "comment"]
        movable = not any(part.type in _UNMOVABLE for arg in args for part in walk(arg))
        target, name = callee.child_by_field_name("object"), callee.child_by_field_name("property")
        module = self.text(target) if target is not None else ""
        written = self.tree.of(name if name is not None else callee)
        return Call(module, written, tuple(self.text(arg) for arg in args), movable)

    def _is_library(self, callee: Node) -> bool:
        if callee.type == "identifier":
            return self.tree.of(callee) in self.imported | _GLOBALS
        if any(child.type == "optional_chain" for child in callee.children):
            return False
        while callee.type == "member_expression":
            target = callee.child_by_field_name("object")
            if target is None:
                return False
            callee = target
            if callee.type == "identifier" and self.tree.of(callee) in self.imported | _OBJECTS:
                return True
            if _is_require(self.tree, callee):
                return True
        return False


def _is_require(tree: Tree, node: Node | None) -> bool:
    if node is None or node.type != "call_expression":
        return False
    return tree.of(node.child_by_field_name("function") or node) == "require"


def _imported(tree: Tree) -> Iterator[str]:
    """Yield the names to which the program binds modules and what they have."""
    for node in walk(tree.root):
        if node.type == "variable_declarator":
            value, name = node.child_by_field_name("value"), node.child_by_field_name("name")
            while value is not None and value.type == "member_expression":
                value = value.child_by_field_name("object")
            if name is not None and _is_require(tree, value):
                yield from _bound(tree, name)
        elif node.type == "import_clause":
            yield from _bound(tree, node)


def _bound(tree: Tree, pattern: Node) -> Iterator[str]:
    kinds = {"identifier", "shorthand_property_identifier_pattern"}
    yield from (tree.of(node) for node in walk(pattern) if node.type in kinds)


def _calls(rewrite: Rewrite, before: str = "", *, statements: bool = False) -> Callable[[str], str]:
    """Rewrite calls, with the statements `before` put first."""

    def rewritten(source: str) -> str:
        tree = parse(source)
        changed = _Renderer(tree, rewrite, statements=statements).text(tree.root)
        return _put_first(before, changed) if changed != tree.slice(0, len(tree.data)) else source

    return rewritten


def _put_first(before: str, source: str) -> str:
    lines = source.splitlines(keepends=True)
    first = sum(line.startswith(("#!", "'use strict'", '"use strict"')) for line in lines[:2])
    return "".join((*lines[:first], before, *lines[first:]))


def _module(rewrite: Rewrite) -> Rewrite:
    """Rewrite calls of methods alone."""
    return lambda call: rewrite(call) if call.module else call.plain


def _moved(rewrite: Rewrite) -> Rewrite:
    """Rewrite calls whose arguments may be put into another function."""
    return lambda call: rewrite(call) if call.movable else call.plain


def _first_moved(call: Call) -> str:
    if not call.args or call.args[0].startswith("..."):
        return call.plain
    rest = ", ".join(("_x", *call.args[1:]))
    return f"[{call.args[0]}].map((_x) => {call.function}({rest}))[0]"


def _mapped(call: Call) -> str:
    single = len(call.args) == 1 and not call.args[0].startswith("...")
    return f"[{call.args[0]}].map({call.function})[0]" if single else call.plain


def _same_arguments(call: Call) -> str:
    args = (arg if arg.startswith("...") else f"_same({arg})" for arg in call.args)
    return f"{call.function}({', '.join(args)})"


def _program(source: str) -> str:
    """Put the program into a function to which its modules are passed."""
    tree = parse(source)
    names = list(dict.fromkeys(_imported(tree)))
    top = [node for node in tree.root.children if set(_loaded(tree, node)) or node.type == "import_statement"]
    rest = tree.slice(top[-1].end_byte, len(tree.data)) if top else ""
    loaded = {name for node in top for name in _loaded(tree, node)}
    inside = [name for name in names if name in loaded]
    if not inside or not rest.strip() or "export " in rest:
        return source
    head = tree.slice(0, top[-1].end_byte)
    given = ", ".join(inside)
    return f"{head}\n(async function _main({given}) {{{rest}\n}})({given});\n"


def _loaded(tree: Tree, node: Node) -> Iterator[str]:
    """Yield the names that a statement of the program binds to modules."""
    declares = {"lexical_declaration", "variable_declaration", "import_statement"}
    if node.type in declares:
        inner = set(_bound(tree, node))
        yield from (name for name in _imported(tree) if name in inner)


_CALL = "function _call(f, ...a) { return f(...a); }\n"
_SAME = "function _same(x) { return x; }\n"
_BOX = (
    "class _Box { constructor(held) { this.held = held; } get() { return this.held; }"
    " get value() { return this.held; } }\n"
)
_CALLER = "class _Caller { constructor(f) { this.f = f; } run(...a) { return this.f(...a); } }\n"
_COLLECTED = "function _call(...a) { const [f, ...rest] = a; return f(...rest); }\n"
_TWO = _CALL + "function _outer(f, ...a) { return _call(f, ...a); }\n"

PASSED: dict[str, dict[str, Callable[[str], str]]] = {
    "modules passed": {
        "arrow": _calls(_module(lambda c: c.given(f"((_m, ..._a) => _m.{c.name}(..._a))", c.module))),
        "named": _calls(
            _module(lambda c: c.given("_do", c.module, f"'{c.name}'")),
            "function _do(m, n, ...a) { return m[n](...a); }\n",
        ),
        "list": _calls(_module(lambda c: c.behind(f"[{c.module}][0]"))),
        "program": _program,
        "returned": _calls(_module(lambda c: c.behind(f"_same({c.module})")), _SAME),
    },
    "wrappers": {
        "one": _calls(lambda c: c.given("_call", c.function), _CALL),
        "two": _calls(lambda c: c.given("_outer", c.function), _TWO),
        "collected": _calls(lambda c: c.given("_call", c.function), _COLLECTED),
        "applied": _calls(
            lambda c: c.given("_call", c.function), "const _call = (f, ...a) => f.apply(null, a);\n"
        ),
        "called": _calls(
            lambda c: c.given("_call", c.function), "const _call = (f, ...a) => f.call(null, ...a);\n"
        ),
    },
    "closures": {
        "made": _calls(
            lambda c: c.of(f"_make({c.function})"),
            "function _make(f) { return function (...a) { return f(...a); }; }\n",
        ),
        "arrow": _calls(lambda c: c.of(f"((f) => (...a) => f(...a))({c.function})")),
        "module kept": _calls(
            _module(lambda c: c.behind(f"_keep({c.module})()")), "const _keep = (held) => () => held;\n"
        ),
    },
    "bind": {
        "whole": _calls(lambda c: c.of(f"{c.function}.bind(null)")),
        "partial": _calls(lambda c: f"{c.given(f'{c.function}.bind', 'null')}()"),
    },
    "holders": {
        "object": _calls(_module(lambda c: c.behind(f"({{ held: {c.module} }}).held"))),
        "attribute": _calls(_module(lambda c: c.behind(f"new _Box({c.module}).held")), _BOX),
        "method": _calls(_module(lambda c: c.behind(f"new _Box({c.module}).get()")), _BOX),
        "getter": _calls(_module(lambda c: c.behind(f"new _Box({c.module}).value")), _BOX),
        "caller": _calls(lambda c: c.of(f"new _Caller({c.function}).run"), _CALLER),
        "assigned": _calls(lambda c: c.of(f"(_held.f = {c.function}, _held.f)"), "const _held = {};\n"),
    },
    "loops": {
        "map": _calls(_moved(lambda c: f"[{c.function}].map((_f) => {c.of('_f')})[0]")),
        "late": _calls(
            _moved(lambda c: f"[console.log, {c.function}].map((_f, _n) => _n === 1 && {c.of('_f')})[1]")
        ),
        "for of": _calls(lambda c: f"for (const _f of [{c.function}]) {c.of('_f')};", statements=True),
        "entries": _calls(
            lambda c: f"for (const [_n, _f] of [null, {c.function}].entries()) if (_n) {c.of('_f')};",
            statements=True,
        ),
        "arguments": _calls(_moved(_first_moved)),
    },
    "containers": {
        "mapping": _calls(lambda c: c.of(f"({{ a: console.log, b: {c.function} }})['b']")),
        "nested": _calls(_module(lambda c: c.behind(f"({{ a: [null, [{c.module}]] }}).a[1][0]"))),
        "map": _calls(lambda c: c.of(f"new Map([['a', console.log], ['b', {c.function}]]).get('b')")),
        "popped": _calls(lambda c: c.of(f"[{c.function}].pop()")),
        "spread": _calls(lambda c: c.of(f"({{ ...{{ f: {c.function} }} }}).f")),
        "merged": _calls(lambda c: c.of(f"Object.assign({{}}, {{ f: {c.function} }}).f")),
    },
    "destructuring": {
        "object": _calls(lambda c: c.of(f"(({{ f }}) => f)({{ f: {c.function} }})")),
        "parameter": _calls(lambda c: c.given("(({ f }, ...a) => f(...a))", f"{{ f: {c.function} }}")),
        "array": _calls(lambda c: c.of(f"(([, f]) => f)([null, {c.function}])")),
        "default": _calls(lambda c: c.of(f"((f = {c.function}) => f)()")),
        "member": _calls(_module(lambda c: c.of(f"(({{ {c.name}: f }}) => f)({c.module})"))),
    },
    "callbacks": {
        "later": _calls(_moved(lambda c: f"_run(() => {c.plain})"), "function _run(f) { return f(); }\n"),
        "mapped": _calls(_mapped),
    },
    "helpers": {"arguments": _calls(_same_arguments, _SAME)},
}
"""Every rewrite, by the way in which values travel and its name."""


def passed(source: str) -> dict[tuple[str, str], str]:
    """Return every rewrite of `source` that changes it."""
    made = {(way, key): rewrite(source) for way, ones in PASSED.items() for key, rewrite in ones.items()}
    return {key: text for key, text in made.items() if text != source}
