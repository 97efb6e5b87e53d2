"""Rewrites Python so that it means the same and reads otherwise: how attackers hide from readers of names.

Every rewrite is a function from source to source; `REWRITES` names them all.
"""

from __future__ import annotations

import ast
import base64
import builtins
from collections.abc import Callable, Iterator, Sequence

_BUILTINS = frozenset(("eval", "exec", "compile", "open", "__import__", "print", "getattr", "input"))


class Rewriter(ast.NodeTransformer):
    """Knows which names are modules and leaves f-strings, annotations and docstrings alone."""

    def __init__(self, tree: ast.AST) -> None:
        self.modules = set(_modules(tree))
        self.bound = set(_bound(tree))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        return node

    def is_module_attribute(self, node: ast.AST) -> bool:
        """Whether `node` is `module.name`, read."""
        return (
            isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Load)
            and isinstance(node.value, ast.Name)
            and node.value.id in self.modules
        )

    def is_builtin(self, node: ast.AST) -> bool:
        """Whether `node` is a dangerous built-in, read."""
        return isinstance(node, ast.Name) and node.id in _BUILTINS and node.id not in self.bound


def _modules(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0]


def _bound(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def expression(source: str) -> ast.expr:
    """Return an expression from its source."""
    return ast.parse(source, mode="eval").body


def name(value: str) -> ast.expr:
    """Return the name `value`, read."""
    return ast.Name(value, ast.Load())


def call(function: ast.expr, *args: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    """Return a call of `function`."""
    return ast.Call(function, list(args), list(keywords))


# --- names ---


def _by_getattr(spelled: Callable[[str], ast.expr]) -> type[Rewriter]:
    class ByGetattr(Rewriter):
        def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
            self.generic_visit(node)
            if self.is_module_attribute(node):
                return call(name("getattr"), node.value, spelled(node.attr))
            return node

        def visit_Name(self, node: ast.Name) -> ast.AST:
            if self.is_builtin(node) and node.id != "getattr":
                module = call(name("__import__"), spelled("builtins"))
                return call(name("getattr"), module, spelled(node.id))
            return node

    return ByGetattr


def _split(text: str) -> ast.expr:
    middle = max(1, len(text) // 2)
    return ast.BinOp(ast.Constant(text[:middle]), ast.Add(), ast.Constant(text[middle:]))


def _characters(text: str) -> ast.expr:
    return expression("+".join(f"chr({ord(char)})" for char in text))


def _joined_characters(text: str) -> ast.expr:
    return expression(f"''.join(map(chr, {[ord(char) for char in text]}))")


def _reversed(text: str) -> ast.expr:
    return expression(f"{text[::-1]!r}[::-1]")


def _base64(text: str) -> ast.expr:
    encoded = base64.b64encode(text.encode()).decode()
    return expression(f"__import__('base64').b64decode({encoded!r}).decode()")


def _hex(text: str) -> ast.expr:
    return expression(f"bytes.fromhex({text.encode().hex()!r}).decode()")


class _Aliases(Rewriter):
    """`os.system(x)` -> `_a0 = os.system` before, `_a0(x)` here: by the walrus, in place."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.is_module_attribute(node.func) or self.is_builtin(node.func):
            pair = ast.Tuple([ast.Constant(None), node.func], ast.Load())
            node.func = ast.Subscript(pair, ast.Constant(1), ast.Load())
        return node


class _Lambdas(Rewriter):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.is_module_attribute(node.func) or self.is_builtin(node.func):
            caller = expression("lambda _f, *_a, **_k: _f(*_a, **_k)")
            return ast.Call(caller, [node.func, *node.args], node.keywords)
        return node


class _ModuleAliases(Rewriter):
    """`import os` -> `import os as _m_os`, and every use renamed."""

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            if "." not in alias.name and alias.asname is None and alias.name not in self.bound - self.modules:
                alias.asname = f"_m_{alias.name}"
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.plain:
            node.id = f"_m_{node.id}"
        return node

    def __init__(self, tree: ast.AST) -> None:
        super().__init__(tree)
        self.plain = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import)
            for alias in node.names
            if alias.asname is None and "." not in alias.name
        }


class _DynamicImports(Rewriter):
    """`import os` -> `os = __import__('o' + 's')`."""

    def visit_Import(self, node: ast.Import) -> ast.AST | list[ast.stmt]:
        if any("." in alias.name for alias in node.names):
            return node
        return [
            ast.Assign(
                [ast.Name(alias.asname or alias.name, ast.Store())],
                call(name("__import__"), _split(alias.name)),
            )
            for alias in node.names
        ]


# --- texts ---


def _by_text(spelled: Callable[[str], ast.expr]) -> type[Rewriter]:
    class ByText(Rewriter):
        def visit_Constant(self, node: ast.Constant) -> ast.AST:
            if isinstance(node.value, str) and 2 < len(node.value) < 400:
                return spelled(node.value)
            return node

        def visit_Expr(self, node: ast.Expr) -> ast.AST:
            return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    return ByText


def _with(transformer: type[Rewriter]) -> Callable[[str], str]:
    def rewrite(source: str) -> str:
        tree = ast.parse(source)
        return ast.unparse(ast.fix_missing_locations(transformer(tree).visit(tree)))

    return rewrite


# --- whole programs ---


def _unicode(source: str) -> str:
    """Spell attributes of modules and dangerous built-ins in mathematical letters, which NFKC folds back."""
    tree = ast.parse(source)
    knows = Rewriter(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and knows.is_module_attribute(node):
            node.attr = _mathematical(node.attr)
        elif isinstance(node, ast.Name) and knows.is_builtin(node) and node.id != "__import__":
            node.id = _mathematical(node.id)
    return ast.unparse(tree)


def _mathematical(name: str) -> str:
    return "".join(chr(0x1D5BA + ord(char) - 97) if "a" <= char <= "z" else char for char in name)


def _nested(source: str) -> str:
    return f"exec({source!r})"


def _nested_twice(source: str) -> str:
    return _nested(_nested(source))


def _nested_base64(source: str) -> str:
    return f"import base64\nexec(base64.b64decode({base64.b64encode(source.encode())!r}))"


REWRITES: dict[str, Callable[[str], str]] = {
    "getattr": _with(_by_getattr(ast.Constant)),
    "split names": _with(_by_getattr(_split)),
    "reversed names": _with(_by_getattr(_reversed)),
    "chr names": _with(_by_getattr(_characters)),
    "base64 names": _with(_by_getattr(_base64)),
    "aliases": _with(_Aliases),
    "module aliases": _with(_ModuleAliases),
    "dynamic imports": _with(_DynamicImports),
    "lambda": _with(_Lambdas),
    "split texts": _with(_by_text(_split)),
    "chr texts": _with(_by_text(_joined_characters)),
    "base64 texts": _with(_by_text(_base64)),
    "hex texts": _with(_by_text(_hex)),
    "unicode": _unicode,
    "nested exec": _nested,
    "nested exec twice": _nested_twice,
    "exec of base64": _nested_base64,
}


def rewritten(source: str) -> Iterator[tuple[str, str]]:
    """Return every rewrite of `source` that changes it, by name. Raises SyntaxError where it is broken."""
    plain = ast.unparse(ast.parse(source))
    for name, rewrite in REWRITES.items():
        other = rewrite(source)
        if other != plain:
            yield name, other


assert set(dir(builtins)) >= _BUILTINS
