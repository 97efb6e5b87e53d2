"""Proves that a Python program can only compute and print, or says where that is not proven.

A program holds only what it defines, what the list of the library gives it, and what it reaches from
these by listed attributes. None of that has an effect, so no combination of it has one, whatever the
values are. The walk therefore checks each name, attribute, import and definition by itself.
docs/verdict.md has the argument in full.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from engine.analysis.python.parse.child_nodes import child_nodes
from engine.analysis.python.parse.source import exact_tree
from engine.analysis.verdict.python import definitions, expressions, in_place
from engine.analysis.verdict.python.bound_names import check_bound_names
from engine.analysis.verdict.python.context import START, Context, Step
from engine.analysis.verdict.python.data import callables, interruptions, labels, spines
from engine.analysis.verdict.python.data.files import is_configured
from engine.analysis.verdict.python.meanings import OWN
from engine.analysis.verdict.python.scopes import BINDS, COMPREHENSIONS, NameScope
from engine.common.text import Untrusted
from engine.models import Unproven

MOST_NODES = 200_000
"""How many nodes of syntax trees are looked at."""
MOST_PLACES = 50
"""How many places that are not proven are reported."""
_PLAIN = frozenset(
    {
        *(
            ast.Expr,
            ast.Assign,
            ast.Delete,
            ast.Return,
            ast.Assert,
            ast.Pass,
            ast.Break,
            ast.Continue,
        ),
        *(ast.If, ast.While, ast.Try),
        *(ast.BoolOp, ast.NamedExpr, ast.BinOp, ast.UnaryOp, ast.IfExp),
        *(ast.Dict, ast.Set, ast.List, ast.Tuple, ast.Yield, ast.JoinedStr),
        *(ast.Subscript, ast.Starred, ast.Slice, ast.arguments, ast.keyword),
    }
)
"""Nodes whose parts are checked, and that do no more than their parts. Constants have none."""
_SHOWN: Mapping[type[ast.AST], str] = {
    ast.ClassDef: "a class",
    ast.Match: "`match`",
    ast.With: "`with`",
    ast.TryStar: "`except*`",
    ast.AsyncFunctionDef: "`async def`",
}
"""What people call nodes that programs have, and that are never proven."""
_NESTED = frozenset({ast.Subscript, ast.Tuple, ast.List, ast.BinOp, ast.Starred})
"""Nodes of annotations that hold annotations."""


_CHECKS: Mapping[type[ast.AST], Callable[..., Iterable[Step]]] = {
    ast.Attribute: expressions.check_attribute,
    ast.Call: expressions.check_called,
    ast.ExceptHandler: expressions.check_handler,
    ast.Raise: expressions.check_raised,
    ast.Compare: expressions.check_compared,
    ast.FormattedValue: expressions.check_formatted,
    ast.AugAssign: expressions.check_augmented,
    **dict.fromkeys(COMPREHENSIONS, expressions.check_comprehension),
    **dict.fromkeys((ast.For, ast.YieldFrom), in_place.check_loop),
    ast.Import: definitions.check_import,
    ast.ImportFrom: definitions.check_import_from,
    ast.FunctionDef: definitions.check_function,
    ast.Lambda: definitions.check_lambda,
}
"""What is checked by more than its parts. Each check takes the context, the node, its scope, and whether the
node is an annotation; it yields what is left to check."""


def prove(source: str, inputs: Set[str] = frozenset()) -> tuple[Unproven, ...]:
    """Return the places that are not proven: none where the program is harmless.

    Where each place `writes` a file of the workspace, nothing else stands against the proof.

    `inputs` has the names of the input files that are granted with the program.
    """
    try:
        tree = exact_tree(source.removeprefix("\ufeff"))
    except (SyntaxError, ValueError):
        return (Unproven(span=START, reason=Untrusted("Python 3.11 cannot parse the code")),)
    except (RecursionError, MemoryError):
        return (Unproven(span=START, reason=Untrusted("the code is nested too deeply")),)
    return _Proof(source, tree, inputs).run()


class _Proof:
    """One walk over a tree."""

    def __init__(self, source: str, tree: ast.Module, inputs: Set[str]) -> None:
        self._tree = tree
        self._context = Context(source, tree, inputs)
        examples = [tree for _, _, trees in self._context.examples for tree in trees or ()]
        self._names = callables.names_of([tree, *examples]) if self._context.libraries else None
        self._nodes = 0

    def run(self) -> tuple[Unproven, ...]:
        """Return the places that are not proven."""
        if "matplotlib" in self._context.libraries and is_configured(self._context.inputs):
            self._context.refuse(self._tree, "an input file configures matplotlib")
        self._walk(self._tree, self._context.scopes.module)
        if "doctest.testmod()" in self._context.used:
            self._check_docstrings()
        return self._context.unproven()

    def _walk(self, root: ast.AST, scope: NameScope) -> None:
        if self._names is not None:
            interruptions.check(self._context, root, self._names.bound)
            if "pandas" in self._context.libraries:
                labels.check(self._context, root, self._names.bound)
                callables.check(self._context, root, self._names)
        if "matplotlib" in self._context.libraries:
            spines.check(self._context, root)
        problems, visit, known = self._context.problems, self._visit, self._context.meanings.known
        stack: list[Step] = [(child, scope, False) for child in child_nodes(root)]
        while stack:
            self._nodes += 1
            if self._nodes > MOST_NODES:
                self._context.refuse(root, "the code is too long to be proven")
                return
            if len(problems) >= MOST_PLACES:
                return
            node, scope, annotation = stack.pop()
            if isinstance(node, ast.Name):
                if known.get((node.id, scope)) is not OWN or not isinstance(node.ctx, ast.Load):
                    expressions.check_name(self._context, node, scope, annotation=annotation)
            elif not isinstance(node, ast.Constant):
                stack += visit(node, scope, annotation)

    def _visit(self, node: ast.AST, scope: NameScope, annotation: bool) -> Iterable[Step]:
        kind = type(node)
        if kind in BINDS:
            check_bound_names(self._context, node)
        if kind in _PLAIN:
            steps = self._context.steps(node, scope)
            if annotation and kind in _NESTED and expressions.applies_types(self._context, node, scope):
                return [(part, at, True) for part, at, _ in steps]
            return steps
        check = _CHECKS.get(kind)
        if check is not None:
            return check(self._context, node, scope, annotation=annotation)
        return self._visit_other(node, scope)

    def _visit_other(self, node: ast.AST, scope: NameScope) -> Iterator[Step]:
        context = self._context
        match node:
            case ast.AnnAssign():
                parts = [part for part in (node.target, node.value) if part is not None]
                yield from ((part, scope, False) for part in parts)
                yield from context.annotation(node.annotation, scope)
            case ast.arg():
                yield from context.annotation(node.annotation, scope)
            case ast.Global() | ast.Nonlocal():
                if any(name.startswith("__") for name in node.names):
                    context.refuse(node, "declares a name of the interpreter")
            case _:
                shown = _SHOWN.get(type(node), type(node).__name__)
                context.refuse(node, f"{shown} is not in the provable subset")

    def _check_docstrings(self) -> None:
        """Check what `doctest.testmod` runs: the examples of all docstrings that the code spells out."""
        context = self._context
        context.lazy = False
        for docstring, scope, trees in context.examples:
            context.place = context.span(docstring)
            if trees is None:
                context.refuse(docstring, "an example of this docstring cannot be parsed")
            for tree in trees or ():
                self._walk(tree, scope)
