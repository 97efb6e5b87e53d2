"""Code of the program that would run while the C code of numpy is amid the objects of an array.

That code does not count the objects that it works on: what a program takes out of the array meanwhile is
freed and used again. So beside the libraries nothing of the program runs when objects are compared,
combined, printed or freed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.context import Context
from engine.analysis.verdict.python.meanings import Use
from engine.analysis.verdict.python.scopes import NameScope

DEFAULTS = "collections.defaultdict"
"""Makes dictionaries that call what they are given first, which `%` of a text does."""
_INTERRUPTING = frozenset({DEFAULTS, "collections.ChainMap", "functools.cmp_to_key"})
_VIEWS = frozenset({"items", "keys"})
"""Methods whose results go through another operand of an operator, which may run the program's code."""
_GOING_THROUGH = frozenset(
    words(
        """all any dict enumerate filter frozenset iter len list map max min print repr reversed set sorted
            str sum tuple zip"""
    )
)
"""Functions that go through what they are given, and do not keep it."""
_ALL_ARGUMENTS = frozenset({"filter", "map", "print", "zip"})
"""Those that do so with all arguments; `max` of several ones returns one of them."""
_METHODS = frozenset({"bar", "barh", "extend", "join", "update"})
"""Methods that do."""
_MAKERS = frozenset(
    words("bool bytes collections.Counter collections.deque dict float int list set str tuple")
)
_FILLED = frozenset({"numpy.array", "numpy.ones", "numpy.zeros"})


def refused(path: str, context: Context) -> str | None:
    """Return why a name of the library is not proven beside the libraries for data; None where it is."""
    if context.libraries and path in _INTERRUPTING:
        return f"`{path}` may run code of the program amid the objects of an array"
    return None


def check(context: Context, root: ast.AST, bound: Set[str]) -> None:
    """Refuse all places below a node that may run code of the program amid the objects of an array.

    `bound` has the names that the program gives a meaning.
    """
    nodes = list(walk(root))
    read = {
        id(view.func) for node in nodes for view in _gone_through(node, bound) if isinstance(view, ast.Call)
    }
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in _VIEWS and id(node) not in read:
            context.refuse(node, f"`{node.attr}` beside the libraries is more than gone through")
        elif isinstance(node, ast.Try) and any(
            isinstance(one, ast.Yield | ast.YieldFrom) for one in walk(node)
        ):
            context.refuse(node, "`yield` within `try` runs code where a generator is freed")


def _gone_through(node: ast.AST, bound: Set[str]) -> Iterator[ast.expr]:
    """Yield what a node goes through, and keeps nothing of but what is in it."""
    match node:
        case ast.For(iter=view) | ast.comprehension(iter=view):
            yield view
        case ast.Starred(value=view) | ast.FormattedValue(value=view) | ast.Expr(value=view):
            yield view
        case ast.Compare():
            yield from (node.left, *node.comparators)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _GOING_THROUGH - bound:
            yield from args if len(args) == 1 or name in _ALL_ARGUMENTS else args[:0]
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _METHODS:
            yield from args


def makes_defaults(context: Context, call: ast.Call, scope: NameScope) -> bool:
    """Return whether a dictionary with defaults runs no code of the program to make one."""
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        return False
    return all(_makes(context, factory, scope) for factory in call.args[:1])


def _makes(context: Context, factory: ast.expr, scope: NameScope) -> bool:
    match factory:
        case ast.Constant():
            return True
        case ast.Lambda(args=ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kwarg=None)):
            return _is_made(context, factory.body, context.scopes.by_node.get(factory, scope))
    meaning = context.meanings.of_entry(factory, scope)
    return meaning.use is Use.VALUE and meaning.path in _MAKERS


def _is_made(context: Context, value: ast.expr, scope: NameScope) -> bool:
    """Return whether evaluating an expression calls nothing of the program."""
    match value:
        case ast.Constant() | ast.UnaryOp(operand=ast.Constant()):
            return True
        case ast.Call(keywords=[]):
            return _is_made_by_call(context, value, scope)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.BinOp(left=ast.List(elts=parts), op=ast.Mult(), right=ast.Constant()):
            pass
        case ast.Dict(keys=keys, values=parts) if all(isinstance(key, ast.Constant) for key in keys):
            pass
        case _:
            return False
    return all(_is_made(context, part, scope) for part in parts)


def _is_made_by_call(context: Context, call: ast.Call, scope: NameScope) -> bool:
    path = context.meanings.of_entry(call.func, scope).path
    if path == DEFAULTS:
        return len(call.args) < 2 and makes_defaults(context, call, scope)
    return path in _MAKERS | _FILLED and all(_is_made(context, arg, scope) for arg in call.args)
