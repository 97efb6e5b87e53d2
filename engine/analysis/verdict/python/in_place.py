"""What is only used where it is made, so that no other code of the program can reach it.

CPython's C code drops what some iterators iterate when they end or fail, even while that still runs: where a
generator calls `next` of the `islice` around it, its own frame is freed. No code can do so where only a loop,
or a function that takes all of it, holds the iterator. And what `cmp_to_key` makes calls the program when it
is compared, which C code does not expect but where it sorts.
"""

from __future__ import annotations

import ast

from engine.analysis.verdict.python.context import Context, Step
from engine.analysis.verdict.python.scopes import NameScope

ITERATORS = frozenset(
    f"itertools.{name}" for name in ("accumulate", "chain", "chain.from_iterable", "islice", "zip_longest")
)
"""Functions whose iterators drop what they iterate, or hand to a function what they may drop meanwhile."""
SORTS = "functools.cmp_to_key"
_TAKE_ALL = frozenset(
    {
        "all",
        "any",
        "dict",
        "frozenset",
        "list",
        "next",
        "set",
        "sorted",
        "sum",
        "tuple",
        "collections.Counter",
    }
)
"""Functions that do not hand on the iterator that is their first argument."""
_PASS_ON = ITERATORS | {"enumerate", "filter", "map", "zip"}
"""Functions of iterators whose own iterator alone holds these."""


def check_loop(
    context: Context, node: ast.For | ast.YieldFrom, scope: NameScope, *, annotation: bool
) -> list[Step]:
    """Check what goes through an iterator."""
    context.iterated.add(node.iter if isinstance(node, ast.For) else node.value)
    return context.steps(node, scope)


def check_call(context: Context, node: ast.Call, scope: NameScope) -> bool:
    """Return whether a call is of a function of this module, which is checked then."""
    meaning, rest = context.meanings.of_path(node.func, scope)
    path = ".".join((meaning.path, *rest)) if meaning.path else ""
    _note(context, node, path)
    if path in ITERATORS and node not in context.iterated:
        context.refuse(node, f"what `{path}` returns may be reached while it runs")
    if path == SORTS and node not in context.orders:
        context.refuse(node, f"`{path}` is used for something else than to sort")
    return path in ITERATORS or path == SORTS


def _note(context: Context, node: ast.Call, path: str) -> None:
    """Note which arguments of a call nothing else can reach."""
    if path in _TAKE_ALL:
        context.iterated.update(node.args[:1])
    if path in _PASS_ON and node in context.iterated:
        context.iterated.update(node.args)
    if path == "sorted" or (isinstance(node.func, ast.Attribute) and node.func.attr == "sort"):
        context.orders.update(word.value for word in node.keywords if word.arg == "key")
