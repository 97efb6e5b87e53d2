"""Functions where pandas is imported: they are called, or given to what calls them, and are no other values.

A `Series` gives what it holds under a label as an attribute, and libraries call methods of what they are
given: a `Series` that held a function of the program, or a method that keeps its argument, would receive
classes and other objects of the library by them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from engine.analysis.python.parse.child_nodes import walk
from engine.analysis.python.word_lists import words
from engine.analysis.verdict.python.context import Context

_METHODS = frozenset(words("agg aggregate apply applymap assign filter map pipe sort sub subn transform"))
"""Methods that call a function that they are given."""
_FUNCTIONS = frozenset(words("filter map max min sorted"))
_KEEPING = frozenset(
    words(
        """__enter__ __iadd__ __isub__ add append appendleft close extend extendleft insert push put
            put_nowait send setdefault throw update write writelines writerow writerows"""
    )
)
"""Methods that keep or pass on what they are given."""


@dataclass(frozen=True, slots=True)
class ProgramNames:
    """The names of a program and of its examples: all that it binds, and those of functions."""

    bound: frozenset[str]
    functions: frozenset[str]


def names_of(trees: Iterable[ast.AST]) -> ProgramNames:
    """Collect the names of all trees, which use each other's."""
    nodes = [node for tree in trees for node in walk(tree)]
    functions = frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))
    return ProgramNames(frozenset(name for node in nodes for name in _bound(node)), functions)


def check(context: Context, root: ast.AST, names: ProgramNames) -> None:
    """Refuse all functions below a node that are more than called or called back."""
    nodes = list(walk(root))
    called = {id(one) for node in nodes for one in _called(node, names.bound)}
    for node in nodes:
        if _is_function(node, names.functions) and id(node) not in called:
            context.refuse(node, "a function beside pandas is only called, or given to what calls it")


def _is_function(node: ast.AST, defined: frozenset[str]) -> bool:
    match node:
        case ast.Lambda():
            return True
        case ast.Name(id=name, ctx=ast.Load()):
            return name in defined
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return name in _KEEPING
    return False


def _called(node: ast.AST, bound: frozenset[str]) -> Iterator[ast.AST]:
    """Yield what a node calls, and what it has called."""
    if not isinstance(node, ast.Call):
        return
    yield node.func
    if _calls_back(node.func, bound):
        yield from (*node.args, *(word.value for word in node.keywords))


def _calls_back(function: ast.expr, bound: frozenset[str]) -> bool:
    match function:
        case ast.Name(id=name):
            return name in _FUNCTIONS - bound
        case ast.Attribute(attr=name):
            return name in _METHODS
    return False


def _bound(node: ast.AST) -> Iterable[str]:
    """Return the names that a node gives a meaning."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.FunctionDef(name=name) | ast.arg(arg=name):
            return (name,)
        case ast.alias(name=name, asname=other):
            return (other or name,)
        case ast.ExceptHandler(name=str(name)):
            return (name,)
    return ()
