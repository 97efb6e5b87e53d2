"""What a proof knows and has found so far."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cached_property

from engine.analysis.positions import Lines
from engine.analysis.python.parse.child_nodes import child_nodes, walk
from engine.analysis.verdict.python.attributes import is_safe_attribute
from engine.analysis.verdict.python.data.attributes import safe_attributes
from engine.analysis.verdict.python.data.imports import data_libraries
from engine.analysis.verdict.python.doctests import examples, may_run
from engine.analysis.verdict.python.meanings import Meanings
from engine.analysis.verdict.python.scopes import OPENS_SCOPE, NameScope, ScopeKind, Scopes, children
from engine.common.text import Untrusted
from engine.models import Span, Unproven

START = Span(line=1, column=1, end_line=1, end_column=1)
MOST_WRITES = 50
"""How many places that write a file are reported."""
_OUTPUT = frozenset({"stdout", "stderr"})
Step = tuple[ast.AST, NameScope, bool]
"""A node, the scope that it is evaluated in, and whether it is an annotation, where classes may be named."""


class Context:
    """The names of one program, and the places of it that are not proven."""

    def __init__(self, source: str, tree: ast.Module, inputs: Set[str]) -> None:
        self._lines = Lines(source)
        self.inputs = inputs
        """The names of the input files that are granted with the program."""
        self.scopes = Scopes(tree)
        self.libraries = data_libraries(self.scopes.imports)
        self.meanings = Meanings(self.scopes, has_pandas="pandas" in self.libraries)
        self._tree = tree
        self.examples = self._collect_examples(tree)
        """The docstrings whose examples the program may run, each with its scope and its trees."""
        self.safe = safe_attributes(self.libraries)
        self.problems: dict[tuple[Span, str], None] = {}
        self.writes: dict[tuple[Span, str], None] = {}
        """The files of the workspace that the program writes, each with its place."""
        self.used: dict[str, ast.AST] = {}
        """Restricted functions and classes that the program uses, each with one place."""
        self.iterated: set[ast.AST] = set()
        """Expressions whose iterator only a loop or a function of the library holds."""
        self.orders: set[ast.AST] = set()
        """Expressions by which something is sorted."""
        self.place: Span | None = None
        """The docstring whose examples are looked at."""
        self.lazy = any(isinstance(node, ast.ImportFrom) and _is_lazy(node) for node in tree.body)
        """Whether annotations are kept as text."""

    def _collect_examples(
        self, tree: ast.Module
    ) -> list[tuple[ast.Constant, NameScope, list[ast.Module] | None]]:
        """Collect the names of all examples first."""
        collected = []
        for docstring, trees in (examples(tree) if may_run(self.scopes.imports) else {}).items():
            scope = NameScope(ScopeKind.EXAMPLES, self.scopes.module)
            for example in trees or ():
                self.scopes.add(example, scope)
            collected.append((docstring, scope, trees))
        return collected

    @cached_property
    def names(self) -> frozenset[str | None]:
        """All names, attributes and imported names of the code and its examples."""
        return frozenset(map(_named, self._nodes))

    @cached_property
    def names_of_values(self) -> frozenset[str | None]:
        """Those of them that stand elsewhere than where they are called, or are imported as another name."""
        called = {node.func for node in self._nodes if isinstance(node, ast.Call)}
        others = (node for node in self._nodes if node not in called)
        return frozenset(
            _named(node) for node in others if not isinstance(node, ast.alias) or node.asname is not None
        )

    @cached_property
    def _nodes(self) -> tuple[ast.AST, ...]:
        trees = [self._tree, *(tree for _, _, trees in self.examples for tree in trees or ())]
        return tuple(node for tree in trees for node in walk(tree))

    def refuse(self, node: ast.AST, reason: str) -> None:
        """Record that a node is not proven."""
        self.problems[self.place or self.span(node), reason] = None

    def check_attribute(self, node: ast.AST, name: str) -> None:
        """Record an attribute that is not safe on every value."""
        if not is_safe_attribute(name, self.safe):
            self.refuse(node, f"the attribute `{name}` is not on the list")
        elif name == "seek" and not _OUTPUT.isdisjoint(self.names):
            self.refuse(node, "`seek` beside a standard stream could overwrite what others wrote to it")

    def write(self, node: ast.AST, name: str) -> None:
        """Record a file of the workspace that the program writes: not proven, but known."""
        if len(self.writes) < MOST_WRITES:
            self.writes[self.place or self.span(node), name] = None
        else:
            self.refuse(node, "writes more files than are listed")

    def unproven(self) -> tuple[Unproven, ...]:
        """Return what was refused and what is written, in the order of the code."""
        places = [
            *(Unproven(span=span, reason=Untrusted(reason)) for span, reason in self.problems),
            *(
                Unproven(span=span, reason=Untrusted(f"writes `{name}` in the workspace"), writes=name)
                for span, name in self.writes
            ),
        ]
        return tuple(sorted(places, key=lambda one: (one.span.line, one.span.column, one.reason.text)))

    def steps(self, node: ast.AST, scope: NameScope) -> list[Step]:
        """Return the children of a node, each with its scope."""
        if type(node) not in OPENS_SCOPE:
            return [(child, scope, False) for child in child_nodes(node)]
        inner = self.scopes.by_node.get(node, scope)
        return [(child, inner if inside else scope, False) for child, inside in children(node)]

    def annotation(self, node: ast.expr | None, scope: NameScope) -> Iterator[Step]:
        """Yield an annotation, unless the interpreter never evaluates it."""
        if node is None:
            return
        if _calls_in_text(node, lazy=self.lazy):
            self.refuse(node, "an annotation that is kept as text calls something")
        if not self.lazy:
            yield node, scope, True

    def span(self, node: ast.AST) -> Span:
        """Return where a node is: of a definition, its first line."""
        line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
        if line is None or column is None:
            return START
        end_line, end = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = self._lines.line(line).rstrip("\r\n")
            start = self._lines.column(line, column)
            return Span(line=line, column=start, end_line=line, end_column=max(start, len(text) + 1))
        return self._lines.span_of_bytes(
            line, column, line if end_line is None else end_line, column if end is None else end
        )


def _named(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return name
    return None


def _is_lazy(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" and any(alias.name == "annotations" for alias in node.names)


def _calls_in_text(node: ast.expr, *, lazy: bool) -> bool:
    """Return whether text that a library could evaluate as an annotation does more than name types."""
    for part in walk(node):
        if lazy and isinstance(part, ast.Call):
            return True
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and "(" in part.value:
            return True
    return False
