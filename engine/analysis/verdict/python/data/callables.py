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

_BY_KEY = frozenset(words("max min sorted"))
"""Functions that call what they are given as `key`; so does the method `sort`."""
_FIRST = frozenset(words("filter map"))
"""Functions that call what they are given first."""
_METHODS = frozenset(words("agg aggregate apply filter map transform"))
"""Methods that call what they are given first, or as `func`. Every `Series` has them, whatever its labels."""
_NAMING = frozenset(words("agg aggregate"))
"""Methods that call all that they are given under names, where they are given nothing else."""
_KEEPING = frozenset(
    words(
        """_put add append appendleft close extend extendleft fill insert push put put_nowait send setdefault
            symmetric_difference_update throw update write writelines writerow writerows"""
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
    match node.func:
        case ast.Name(id=name) if name in _FIRST - bound:
            yield from node.args[:1]
        case ast.Name(id=name) if name in _BY_KEY - bound:
            yield from _keywords(node, "key")
        case ast.Attribute(attr="sort") if not node.args:
            yield from _keywords(node, "key")
        case ast.Attribute(attr="sub"):
            yield from (*node.args[:2], *_keywords(node, "repl"))
        case ast.Attribute(attr=name) if name in _METHODS:
            yield from _given(node, name)


def _given(node: ast.Call, name: str) -> Iterator[ast.AST]:
    """Yield what a method calls: anything else may be handed on to that as an argument."""
    functions = [*node.args[:1], *_keywords(node, "func")]
    named = [word.value for word in node.keywords] if name in _NAMING else []
    yield from functions or named


def _keywords(node: ast.Call, name: str) -> Iterator[ast.AST]:
    return (word.value for word in node.keywords if word.arg == name)


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
