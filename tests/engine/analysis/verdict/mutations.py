"""Programs in and around the provable subset: mutations of programs, and combinations of several."""

from __future__ import annotations

import ast
import builtins
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.analysis.verdict.python.attributes import DUNDERS, SAFE
from engine.analysis.verdict.python.data.attributes import MATPLOTLIB_SAFE, NUMPY_SAFE, PANDAS_SAFE
from engine.analysis.verdict.python.data.library import DATA_MODULES
from engine.analysis.verdict.python.data.reserved_attributes import OF_NUMPY, OF_PANDAS
from engine.analysis.verdict.python.data.restricted import BY_LIBRARY
from engine.analysis.verdict.python.library import BUILTINS, MODULES
from engine.analysis.verdict.python.safe_module import SafeModule

_ESCAPES = [
    "__globals__",
    "__builtins__",
    "__subclasses__",
    "__base__",
    "__bases__",
    "__mro__",
    "__class__",
    "__dict__",
    "__self__",
    "__func__",
    "__code__",
    "__wrapped__",
    "__reduce_ex__",
    "__getattribute__",
    "__init_subclass__",
    "__closure__",
    "__defaults__",
    "__loader__",
    "__spec__",
    "__traceback__",
    "__context__",
    "tb_frame",
    "f_globals",
    "f_builtins",
    "gi_frame",
    "_os",
    "_sys",
    "system",
    "modules",
    "environ",
]
ATTRIBUTES = (*sorted(SAFE), *sorted(DUNDERS), *_ESCAPES * 4)
NAMES = (*dir(builtins), *sorted(BUILTINS.values) * 2)
_OF_DATA = (
    *("to_clipboard", "to_pickle", "http://a.example/x.csv", "/etc/hosts"),
    "datetime64[ns, dateutil//etc/hosts]",
    *("plot.png", "table.csv", "/tmp/x.png", "../x.csv", "x.pgf", "matplotlibrc", "conftest.py", "data.csv"),
)
"""Texts that something in a library for data acts on."""
_UNLISTED = sorted(name for name in sys.stdlib_module_names if not name.startswith("_"))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What mutations are made of: attributes, names of modules, and texts as arguments."""

    attributes: tuple[str, ...]
    listed: tuple[tuple[str, str], ...]
    texts: tuple[str, ...]


def _listed(modules: Mapping[str, SafeModule]) -> tuple[tuple[str, str], ...]:
    return tuple((path, name) for path, module in modules.items() for name in sorted(module.names))


STANDARD = Vocabulary(
    ATTRIBUTES, _listed({path: one for path, one in MODULES.items() if path not in DATA_MODULES}), ("x", "r")
)
DATA = Vocabulary(
    (
        *sorted(NUMPY_SAFE | PANDAS_SAFE | MATPLOTLIB_SAFE | SAFE),
        *sorted(name for table in BY_LIBRARY.values() for name in table) * 2,
        *sorted(OF_NUMPY | OF_PANDAS),
        *("canvas", "set_usetex", "_usetex", "savefig", "print_figure", "rcParams"),
    ),
    _listed(DATA_MODULES),
    (*_OF_DATA * 2, "mean", "a", "x", "D"),
)

Mutation = Callable[[random.Random, list[ast.AST], list[ast.expr]], None]


def programs(seed: int, sources: tuple[str, ...], vocabulary: Vocabulary = STANDARD) -> Iterator[str]:
    """Yield programs without end, the same ones for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - the same programs every time
    trees = [ast.parse(source.removeprefix("\ufeff")) for source in sources]
    parts = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.expr)]
    texts = [ast.unparse(tree) for tree in trees]
    expressions = [ast.unparse(part) for part in parts if not _is_stored(part)]
    while True:
        program = _mutated(chance, texts, expressions, vocabulary)
        if program is not None:
            yield program


def _is_stored(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del) or isinstance(
        node, ast.Starred | ast.Yield | ast.YieldFrom | ast.Await | ast.Slice | ast.FormattedValue
    )


def _mutated(
    chance: random.Random, texts: list[str], expressions: list[str], words: Vocabulary
) -> str | None:
    chosen = chance.choices(texts, k=chance.choice((1, 1, 2, 2, 3)))
    lines = [_imports(chance, words) for _ in range(chance.choice((0, 1, 2)))]
    try:
        tree = ast.parse("\n".join((*lines, *chosen)))
        for _ in range(chance.choice((0, 1, 1, 2, 3, 5))):
            _mutate(chance, tree, expressions, words)
        text = ast.unparse(tree)
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, AttributeError, TypeError):
        return None
    return text


def _imports(chance: random.Random, words: Vocabulary) -> str:
    if chance.random() < 0.1:
        return f"import {chance.choice(_UNLISTED)}"
    path, name = chance.choice(words.listed)
    return chance.choice((f"from {path} import {name}", f"import {path}", f"from {path} import {name} as x"))


def _mutate(chance: random.Random, tree: ast.Module, expressions: list[str], words: Vocabulary) -> None:
    node = chance.choice(list(ast.walk(tree)))
    names = [one.id for one in ast.walk(tree) if isinstance(one, ast.Name)] or ["x"]
    match node:
        case ast.Attribute():
            node.attr = chance.choice(words.attributes)
        case ast.Name():
            node.id = chance.choice(chance.choice((NAMES, tuple(names))))
        case ast.FunctionDef() | ast.ClassDef() if chance.random() < 0.3:
            node.name = chance.choice((*names, *NAMES, "__getattr__", "__eq__", "__call__"))
        case ast.arg():
            node.arg = chance.choice(names)
        case ast.Call() if node.args and chance.random() < 0.5:
            node.args[chance.randrange(len(node.args))] = _expression(chance, names, expressions, words)
        case ast.Call():
            node.func = _expression(chance, names, expressions, words)
        case ast.Assign() | ast.Return() | ast.Expr():
            node.value = _expression(chance, names, expressions, words)
        case ast.Module() | ast.If() | ast.For():
            statement = ast.Expr(_expression(chance, names, expressions, words))
            node.body.insert(chance.randrange(len(node.body) + 1), statement)


def _expression(
    chance: random.Random, names: list[str], expressions: list[str], words: Vocabulary
) -> ast.expr:
    name, other = chance.choice(names), chance.choice(names)
    attribute = chance.choice(words.attributes)
    path, listed = chance.choice(words.listed)
    text = chance.choice(
        (
            chance.choice(expressions),
            f"{name}.{attribute}",
            f"{name}.{attribute}({other})",
            f"{name}.{attribute}({chance.choice(words.texts)!r})",
            f"{name}.{attribute}({other}, {chance.choice(words.texts)!r})",
            f"{name}({other})",
            f"{name}()",
            f"{name}.{attribute}.{chance.choice(words.attributes)}",
            f"{path}.{listed}",
            f"{path}.{listed}({name})",
            f"{chance.choice(NAMES)}({name})",
            f"[{name} for {other} in {name}]",
            f"getattr({name}, {attribute!r})",
            f"'{{0.{attribute}}}'.format({name})",
            f"'{{}}'.format({name})",
            f"type({name})",
            f"(lambda {other}: {name}.{attribute})({name})",
        )
    )
    return ast.parse(text, mode="eval").body
