"""The shape of code: what stays the same when only harmless literals and local names change."""

from __future__ import annotations

import ast
import builtins
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

import tree_sitter

from engine.models import Draft, Language
from engine.policy.comparison.syntax_trees import parsed

PURE_MODULES = frozenset(
    {"math", "cmath", "statistics", "decimal", "fractions", "random", "calendar", "collections", "heapq",
     "bisect", "itertools", "__future__"}
)  # fmt: skip
"""Modules with which code computes, and reaches nothing."""
PURE_NAMES = frozenset(
    {"abs", "all", "any", "bool", "dict", "divmod", "enumerate", "filter", "float", "frozenset", "int",
     "isinstance", "len", "list", "map", "max", "min", "pow", "print", "range", "repr", "reversed", "round",
     "set", "sorted", "str", "sum", "tuple", "zip", "ValueError", "TypeError", "KeyError", "IndexError",
     "Exception", "ZeroDivisionError"}
)  # fmt: skip
FORMATTING = frozenset({"format", "format_map"})
"""Methods that reach attributes by way of a string."""
MAX_BYTES = 256 * 1024
_BUILTINS = frozenset(dir(builtins))
_COOKIE = re.compile(r"\A(?:[^\n]*\n)?[ \t\f]*#.*?coding[:=]")


def structural_fingerprint(draft: Draft) -> str | None:
    """Return the SHA-256 of a draft's shape in hexadecimal; None where its code cannot be read.

    Two drafts of one shape have the same language, files, capabilities and image, and code of the same
    structure: the same calls, imports, attributes and constants. In Python the names of local variables may
    differ; so may literals where the code only computes: it imports nothing that reaches outside and uses no
    built-in that does. In code that reaches outside every literal counts, as hosts, paths and commands can be
    put together from parts. In JavaScript and shell only comments and white space may differ.
    """
    if len(draft.code.text.encode()) > MAX_BYTES:
        return None
    try:
        code = _READERS[draft.language](draft.code.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    rest = draft.model_dump(mode="json", exclude={"code", "purpose", "files"})
    files = [(file.name.text, hashlib.sha256(file.content).hexdigest()) for file in draft.files]
    return hashlib.sha256(json.dumps([rest, files, code], sort_keys=True).encode()).hexdigest()


def _python(code: str) -> Any:
    if _COOKIE.search(code):
        raise ValueError("an encoding of its own")
    tree = ast.parse(code)
    local = {name: f"#{number}" for number, name in enumerate(local_names(tree))}
    return _Shaper(local, pure=_is_pure(tree, local)).structural_fingerprint(tree)


def local_names(tree: ast.AST) -> list[str]:
    """Return the names that are bound as variables or arguments, in the order of their first appearance.

    Names of imports, functions, arguments, classes and built-ins, and those that are declared global or
    nonlocal, are not: another name in their place could mean something else.
    """
    bound: dict[str, None] = {}
    fixed: set[str] = set()
    for node in _in_order(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.setdefault(node.id)
        elif isinstance(node, ast.arg):
            fixed.add(node.arg)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            fixed.update(node.names)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            fixed.add(node.name)
        elif isinstance(node, ast.alias):
            fixed.add((node.asname or node.name).split(".")[0])
    return [name for name in bound if name not in fixed | _BUILTINS and not name.startswith("__")]


def _in_order(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _in_order(child)


def _is_pure(tree: ast.AST, local: dict[str, str]) -> bool:
    own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    own |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return all(_reaches_nothing(node, own | PURE_NAMES | local.keys()) for node in ast.walk(tree))


def _reaches_nothing(node: ast.AST, known: set[str]) -> bool:
    match node:
        case ast.Import(names=names):
            return all(alias.name in PURE_MODULES and alias.asname is None for alias in names)
        case ast.ImportFrom(module=module, names=names):
            return module in PURE_MODULES and all(_is_plain(alias.name) for alias in names)
        case ast.Attribute(attr=attr):
            return _is_plain(attr)
        case ast.Name(id=name):
            return name in known or name in PURE_MODULES
    return True


def _is_plain(name: str) -> bool:
    """Say whether an attribute or an imported name leads to no module and to nothing inside."""
    return not name.startswith(("_", "*")) and name not in FORMATTING and name not in sys.stdlib_module_names


class _Shaper:
    def __init__(self, local: dict[str, str], *, pure: bool) -> None:
        self._local = local
        self._pure = pure

    def structural_fingerprint(self, node: object) -> Any:
        match node:
            case ast.Constant(value=value):
                return ["Constant", type(value).__name__, self._value(value)]
            case ast.Name(id=name):
                return ["Name", self._local.get(name, name), type(node.ctx).__name__]
            case ast.AST():
                fields = [self.structural_fingerprint(getattr(node, name, None)) for name in node._fields]
                return [type(node).__name__, *fields]
            case list():
                return [self.structural_fingerprint(item) for item in node]
        return node if isinstance(node, str | int | None) else repr(node)

    def _value(self, value: object) -> str:
        free = self._pure and isinstance(value, str | int | float | complex) and not isinstance(value, bool)
        return "" if free else repr(value)


def _reader(language: Language) -> Callable[[str], Any]:
    def read(code: str) -> Any:
        source = code.encode()
        root = parsed(source, language)
        if root.has_error:
            raise SyntaxError("not understood")
        return _tree(root, source)

    return read


def _tree(node: tree_sitter.Node, source: bytes) -> Any:
    """Return a node as nested lists of its children and what stands between them, without comments."""
    if not node.children:
        return [node.type, source[node.start_byte : node.end_byte].decode(errors="replace")]
    exact = any(word in node.type for word in ("string", "heredoc", "regex"))
    parts: list[Any] = [node.type]
    at, gap = node.start_byte, b""
    for child in node.children:
        gap += source[at : child.start_byte]
        at = child.end_byte
        if child.type != "comment":
            parts += [_gap(gap, exact=exact), _tree(child, source)]
            gap = b""
    last = _gap(gap + source[at : node.end_byte], exact=exact)
    return [*parts, last if exact else last.strip()]


def _gap(gap: bytes, *, exact: bool) -> str:
    """Return what stands between two nodes; of white space outside strings, only whether it ends a line."""
    text = gap.decode(errors="replace")
    if exact or text.strip():
        return text
    return "\n" if "\n" in text else text[:1]


_READERS: dict[Language, Callable[[str], Any]] = {
    Language.PYTHON: _python,
    **{language: _reader(language) for language in (Language.JAVASCRIPT, Language.SHELL)},
}
