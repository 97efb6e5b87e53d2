"""Mutants of a module: its source with one small fault each, as a careless change would leave it."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Change = Callable[[ast.AST], ast.AST | None]
"""Changes a copy of a node, or returns None where it does not apply."""


@dataclass(frozen=True)
class Mutant:
    """A module with one fault: where it is, what was changed, and the whole source."""

    function: str
    line: int
    change: str
    source: str

    @property
    def key(self) -> str:
        """What a judged survivor is known by: stable when lines move."""
        return f"{self.function}: {self.change}"


_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    tree = ast.parse(source)
    for path, node, function in _places(tree):
        for change in _changes(node):
            mutated = copy.deepcopy(tree)
            parent, field, index = _follow(mutated, path)
            new = change(copy.deepcopy(node))
            if new is None:
                continue
            _put(parent, field, index, new)
            before, after = _line(node), _line(new)
            if before != after:
                text = ast.unparse(ast.fix_missing_locations(mutated))
                yield Mutant(function, getattr(node, "lineno", 0), f"{before} -> {after}", text)


Step = tuple[str, int | None]


def _places(tree: ast.Module) -> Iterator[tuple[tuple[Step, ...], ast.AST, str]]:
    """Yield each node that may be changed, with the way to it and the function that it is in."""
    stack: list[tuple[tuple[Step, ...], ast.AST, str]] = [((), tree, "")]
    while stack:
        path, node, function = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            function = f"{function}.{node.name}".lstrip(".")
        if path and function:
            yield path, node, function
        for field, value in ast.iter_fields(node):
            if field in {"annotation", "returns", "decorator_list", "bases", "keywords"} and not isinstance(
                node, ast.Call
            ):
                continue
            for index, child in _children(value):
                if not _is_docstring(child):
                    stack.append(((*path, (field, index)), child, function))


def _children(value: object) -> Iterator[tuple[int | None, ast.AST]]:
    if isinstance(value, ast.AST):
        yield None, value
    elif isinstance(value, list):
        yield from ((index, each) for index, each in enumerate(value) if isinstance(each, ast.AST))


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _follow(tree: ast.AST, path: tuple[Step, ...]) -> tuple[ast.AST, str, int | None]:
    node = tree
    for field, index in path[:-1]:
        value = getattr(node, field)
        node = value if index is None else value[index]
    return node, *path[-1]


def _put(parent: ast.AST, field: str, index: int | None, new: ast.AST) -> None:
    if index is None:
        setattr(parent, field, new)
    else:
        getattr(parent, field)[index] = new


def _line(node: ast.AST) -> str:
    text = ast.unparse(node).partition("\n")[0]
    return text if len(text) <= 90 else f"{text[:89]}…"


# --- the changes


def _changes(node: ast.AST) -> list[Change]:
    return [change for kind, changes in _BY_KIND for change in changes if isinstance(node, kind)]


def _compare(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = _COMPARED[type(node.ops[0])]()
    return node


def _swap_bool(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    return node


def _drop_last(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.BoolOp)
    node.values.pop()
    return node if len(node.values) > 1 else node.values[0]


def _compute(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.BinOp)
    other = _COMPUTED.get(type(node.op))
    if other is None or isinstance(node.left, ast.JoinedStr) or isinstance(node.right, ast.JoinedStr):
        return None
    node.op = other()
    return node


def _without_not(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.UnaryOp)
    return node.operand if isinstance(node.op, ast.Not) else None


def _constant(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Constant)
    if isinstance(node.value, bool):
        return ast.Constant(not node.value)
    return ast.Constant(node.value + 1) if isinstance(node.value, int | float) else None


def _negated(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.If | ast.IfExp)
    if isinstance(node.test, ast.Compare | ast.UnaryOp):
        return None
    node.test = ast.UnaryOp(ast.Not(), node.test)
    return node


def _never(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.If)
    node.test = ast.Constant(False)
    return node


def _nothing(node: ast.AST) -> ast.AST | None:
    return ast.Pass()


def _called_for_nothing(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Expr)
    return ast.Pass() if isinstance(node.value, ast.Call | ast.Await) else None


def _return_none(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Return)
    empty = node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None)
    return None if empty else ast.Return(ast.Constant(None))


def _unfiltered(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.comprehension)
    if not node.ifs:
        return None
    node.ifs.pop()
    return node


def _without_keyword(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Call)
    if not node.keywords:
        return None
    node.keywords.pop()
    return node


def _shorter(node: ast.AST) -> ast.AST | None:
    assert isinstance(node, ast.Tuple | ast.List | ast.Set)
    if len(node.elts) < 2 or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return None
    node.elts.pop()
    return node


_BY_KIND: tuple[tuple[type | tuple[type, ...], tuple[Change, ...]], ...] = (
    (ast.Compare, (_compare,)),
    (ast.BoolOp, (_swap_bool, _drop_last)),
    (ast.BinOp, (_compute,)),
    (ast.UnaryOp, (_without_not,)),
    (ast.Constant, (_constant,)),
    ((ast.If, ast.IfExp), (_negated,)),
    (ast.If, (_never,)),
    ((ast.Raise, ast.AugAssign, ast.Continue, ast.Break), (_nothing,)),
    (ast.Expr, (_called_for_nothing,)),
    (ast.Return, (_return_none,)),
    (ast.comprehension, (_unfiltered,)),
    (ast.Call, (_without_keyword,)),
    ((ast.Tuple, ast.List, ast.Set), (_shorter,)),
)
