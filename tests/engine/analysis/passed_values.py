"""Rewrites Python so that functions and modules travel as values before they are called.

Every rewrite is a function from source to source that keeps what the program means; `PASSED` names them all,
by the way in which a value travels.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tests.engine.analysis.rewriter import Rewriter, call, expression, name

Travel = Callable[[ast.expr], ast.expr]
_UNMOVABLE = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
"""What means something else in a lambda or comprehension."""


class _Calls(Rewriter):
    """Replaces every call of an imported or dangerous function by what `rewrite` makes of it."""

    def __init__(self, tree: ast.AST, rewrite: Callable[[ast.Call], ast.expr]) -> None:
        super().__init__(tree)
        self.rewrite = rewrite
        self.count = 0
        self.imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }

    def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
        self.generic_visit(node)
        if not self._is_library(node.func) or any(isinstance(part, _UNMOVABLE) for part in ast.walk(node)):
            return node
        self.count += 1
        return self.rewrite(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # noqa: N802
        node.body = [self.visit(part) for part in node.body]
        return node

    def _is_library(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Name):
            return func.id in self.imported or self.is_builtin(func)
        while isinstance(func, ast.Attribute):
            func = func.value
            if isinstance(func, ast.Name) and func.id in self.modules:
                return True
        return False


def _calls(rewrite: Callable[[ast.Call], ast.expr], before: str = "") -> Callable[[str], str]:
    """Rewrite calls, with the statements `before` put first."""

    def rewritten(source: str) -> str:
        tree = ast.parse(source)
        calls = _Calls(tree, rewrite)
        changed = ast.unparse(ast.fix_missing_locations(calls.visit(tree)))
        return _put_first(before, changed) if calls.count else changed

    return rewritten


def _put_first(before: str, source: str) -> str:
    tree = ast.parse(source)
    count = sum(isinstance(part, ast.ImportFrom) and part.module == "__future__" for part in tree.body)
    tree.body[count:count] = ast.parse(before).body
    return ast.unparse(tree)


def _travels(travel: Travel) -> Callable[[ast.Call], ast.expr]:
    """Replace what is called by what `travel` makes of it."""

    def rewrite(node: ast.Call) -> ast.expr:
        return ast.Call(travel(node.func), node.args, node.keywords)

    return rewrite


def _module_travels(travel: Travel) -> Callable[[ast.Call], ast.expr]:
    """Replace the module of what is called by what `travel` makes of it; a name travels itself."""

    def rewrite(node: ast.Call) -> ast.expr:
        func = node.func
        if isinstance(func, ast.Attribute):
            func = ast.Attribute(travel(func.value), func.attr, ast.Load())
        else:
            func = travel(func)
        return ast.Call(func, node.args, node.keywords)

    return rewrite


def _expression_of(template: str, **parts: ast.expr) -> ast.expr:
    """Return `template` with an expression in the place of each name."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return parts.get(node.id, node)

    return Put().visit(expression(template))  # type: ignore[no-any-return]


def _into(template: str) -> Travel:
    """Return what puts an expression in the place of `X` in `template`."""

    return lambda value: _expression_of(template, X=value)


def _given(template: str) -> Callable[[ast.Call], ast.expr]:
    """Call `template` with the function and then its arguments."""

    def rewrite(node: ast.Call) -> ast.expr:
        return ast.Call(expression(template), [node.func, *node.args], node.keywords)

    return rewrite


def _module_given(node: ast.Call) -> ast.expr:
    if not isinstance(node.func, ast.Attribute):
        return node
    caller = expression(f"lambda _m, *_a, **_k: _m.{node.func.attr}(*_a, **_k)")
    return ast.Call(caller, [node.func.value, *node.args], node.keywords)


def _method_given(node: ast.Call) -> ast.expr:
    if not isinstance(node.func, ast.Attribute):
        return node
    return call(
        name("_do"), node.func.value, ast.Constant(node.func.attr), *node.args, keywords=node.keywords
    )


def _partly(node: ast.Call) -> ast.expr:
    return call(ast.Call(expression("_functools.partial"), [node.func, *node.args], node.keywords))


def _later(node: ast.Call) -> ast.expr:
    inner = ast.Lambda(expression("lambda: 0").args, node)  # type: ignore[attr-defined]
    return call(name("_run"), inner)


def _mapped(node: ast.Call) -> ast.expr:
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        return node
    return _expression_of("list(map(F, [A]))[0]", F=node.func, A=node.args[0])


def _looped(node: ast.Call) -> ast.expr:
    inner = ast.Call(name("_f"), node.args, node.keywords)
    return _expression_of("[I for _f in [F]][0]", I=inner, F=node.func)


def _looped_late(node: ast.Call) -> ast.expr:
    inner = ast.Call(name("_f"), node.args, node.keywords)
    return _expression_of("[I for _n, _f in enumerate((print, F, len)) if _n == 1][0]", I=inner, F=node.func)


def _looped_arguments(node: ast.Call) -> ast.expr:
    if not node.args or isinstance(node.args[0], ast.Starred):
        return node
    inner = ast.Call(node.func, [name("_x"), *node.args[1:]], node.keywords)
    return _expression_of("[I for _x in [A]][0]", I=inner, A=node.args[0])


def _same_arguments(node: ast.Call) -> ast.expr:
    args: list[ast.expr] = [
        arg if isinstance(arg, ast.Starred) else call(name("_same"), arg) for arg in node.args
    ]
    return ast.Call(node.func, args, node.keywords)


def _program_with_modules(source: str) -> str:
    """Put the program into a function to which its modules are passed."""
    tree = ast.parse(source)
    imports = [part for part in tree.body if isinstance(part, ast.Import | ast.ImportFrom)]
    rest = [part for part in tree.body if part not in imports]
    if any(isinstance(node, ast.Global) for node in ast.walk(tree)) or not rest:
        return ast.unparse(tree)
    names = [
        alias.asname or alias.name.partition(".")[0]
        for part in imports
        if getattr(part, "module", "") != "__future__"
        for alias in part.names
        if alias.name != "*"
    ]
    names = list(dict.fromkeys(names))
    main = ast.parse(f"def _main({', '.join(f'_{n}' for n in names)}):\n pass").body[0]
    assert isinstance(main, ast.FunctionDef)
    main.body = [_renamed(part, set(names)) for part in rest]
    tree.body = [*imports, main, *ast.parse(f"_main({', '.join(names)})").body]
    return ast.unparse(ast.fix_missing_locations(tree))


def _renamed(part: ast.stmt, names: set[str]) -> ast.stmt:
    for node in ast.walk(part):
        if isinstance(node, ast.Name) and node.id in names:
            node.id = f"_{node.id}"
        elif isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [f"_{n}" if n in names else n for n in node.names]
    return part


def _loop_statements(source: str) -> str:
    """Put every statement that is a call of a library into a loop over its function."""
    tree = ast.parse(source)

    class Loops(_Calls):
        def visit_Call(self, node: ast.Call) -> ast.AST:  # noqa: N802
            return node

        def visit_Expr(self, node: ast.Expr) -> ast.AST:  # noqa: N802
            return self._looped(node, node.value)

        def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
            return self._looped(node, node.value)

        def _looped(self, node: ast.stmt, value: ast.expr) -> ast.AST:
            if not isinstance(value, ast.Call) or not self._is_library(value.func):
                return node
            loop = ast.parse("for _n, _f in enumerate((None, F)):\n if _n: pass").body[0]
            assert isinstance(loop, ast.For)
            loop.iter = _expression_of("enumerate((None, F))", F=value.func)
            value.func = name("_f")
            test = loop.body[0]
            assert isinstance(test, ast.If)
            test.body = [node]
            return loop

    return ast.unparse(ast.fix_missing_locations(Loops(tree, lambda node: node).visit(tree)))


_HOLDER = (
    "class _Box:\n    def __init__(self, held):\n        self.held = held\n"
    "    def get(self):\n        return self.held\n"
)
_CALLER = (
    "class _Caller:\n    def __init__(self, f):\n        self.f = f\n"
    "    def run(self, *a, **k):\n        return self.f(*a, **k)\n"
)
_CALLABLE = (
    "class _Wrap:\n    def __init__(self, f):\n        self.f = f\n"
    "    def __call__(self, *a, **k):\n        return self.f(*a, **k)\n"
)
_CLOSURE = "def _make(f):\n    def inner(*a, **k):\n        return f(*a, **k)\n    return inner\n"
_THUNK = "def _keep(held):\n    def get():\n        return held\n    return get\n"

PASSED: dict[str, dict[str, Callable[[str], str]]] = {
    "modules passed": {
        "lambda": _calls(_module_given),
        "named": _calls(_method_given, "def _do(m, n, *a, **k):\n    return getattr(m, n)(*a, **k)\n"),
        "list": _calls(_module_travels(_into("[X][0]"))),
        "program": _program_with_modules,
        "returned": _calls(_module_travels(_into("_same(X)")), "def _same(x):\n    return x\n"),
    },
    "wrappers": {
        "one": _calls(_given("_call"), "def _call(f, *a, **k):\n    return f(*a, **k)\n"),
        "two": _calls(
            _given("_outer"),
            "def _call(f, *a, **k):\n    return f(*a, **k)\n"
            "def _outer(f, *a, **k):\n    return _call(f, *a, **k)\n",
        ),
        "collected": _calls(
            _given("_call"),
            "def _call(*a, **k):\n    f, *rest = a\n    return f(*rest, **k)\n",
        ),
    },
    "closures": {
        "made": _calls(_travels(_into("_make(X)")), _CLOSURE),
        "lambda": _calls(_travels(_into("(lambda f: lambda *a, **k: f(*a, **k))(X)"))),
        "module kept": _calls(_module_travels(_into("_keep(X)()")), _THUNK),
        "decorated": _calls(
            _travels(_into("_make(X)")),
            "import functools\ndef _make(f):\n    @functools.wraps(f)\n"
            "    def inner(*a, **k):\n        return f(*a, **k)\n    return inner\n",
        ),
    },
    "holders": {
        "namespace": _calls(
            _module_travels(_into("_Names(held=X).held")), "from types import SimpleNamespace as _Names\n"
        ),
        "attribute": _calls(_module_travels(_into("_Box(X).held")), _HOLDER),
        "getter": _calls(_module_travels(_into("_Box(X).get()")), _HOLDER),
        "method": _calls(_travels(_into("_Caller(X).run")), _CALLER),
        "callable": _calls(_travels(_into("_Wrap(X)")), _CALLABLE),
    },
    "loops": {
        "comprehension": _calls(_looped),
        "late": _calls(_looped_late),
        "statement": _loop_statements,
        "arguments": _calls(_looped_arguments),
    },
    "containers": {
        "mapping": _calls(_travels(_into("{'a': print, 'b': X}['b']"))),
        "get": _calls(_travels(_into("{'a': print, 'b': X}.get('b')"))),
        "nested": _calls(_module_travels(_into("{'a': [None, (X,)]}['a'][1][0]"))),
        "popped": _calls(_travels(_into("[X].pop()"))),
    },
    "partial": {"whole": _calls(_partly, "import functools as _functools\n")},
    "callbacks": {
        "later": _calls(_later, "def _run(f):\n    return f()\n"),
        "mapped": _calls(_mapped),
    },
    "helpers": {"arguments": _calls(_same_arguments, "def _same(x):\n    return x\n")},
}
"""Every rewrite, by the way in which values travel and its name."""


def passed(source: str) -> dict[tuple[str, str], str]:
    """Return every rewrite of `source` that changes it. Raises SyntaxError where it is broken."""
    plain = ast.unparse(ast.parse(source))
    made = {(way, key): rewrite(source) for way, ones in PASSED.items() for key, rewrite in ones.items()}
    return {key: text for key, text in made.items() if text != plain}
