"""Scopes of a module: what each name is bound to, as CPython's compiler resolves it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from engine.analysis.python.parse.child_nodes import child_nodes

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
OPENS_SCOPE = frozenset({*COMPREHENSIONS, ast.NamedExpr, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda})
"""Nodes whose parts are not all evaluated in the scope that the node is in."""
BINDS = frozenset(
    {
        *(ast.NamedExpr, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.ExceptHandler),
        *(ast.Import, ast.ImportFrom),
    }
)
"""Nodes that can bind names, besides the names that are assigned or deleted."""
_NAMES = BINDS | {ast.Global, ast.Nonlocal}


class ScopeKind(Enum):
    """Where a scope looks for names that it does not bind."""

    MODULE = auto()
    EXAMPLES = auto()
    """The examples of a docstring: a copy of the module's names, and their own."""
    FUNCTION = auto()
    """A function, a lambda or a comprehension: the names that it binds are never looked for elsewhere."""


class BindingKind(Enum):
    """What binds a name."""

    MODULE = auto()
    LIBRARY = auto()
    FUNCTION = auto()
    """One that the program defines, without decorators."""
    VALUE = auto()


@dataclass(frozen=True, slots=True, eq=False)
class NameBinding:
    """One way in which a name is bound; `path` is the full name of what is imported."""

    kind: BindingKind
    path: str = ""


VALUE = NameBinding(BindingKind.VALUE)
OWN_FUNCTION = NameBinding(BindingKind.FUNCTION)


@dataclass(slots=True, eq=False)
class NameScope:
    """The names that one scope binds, each with all its bindings, in whatever order they happen."""

    kind: ScopeKind
    parent: NameScope | None = None
    is_comprehension: bool = False
    names: dict[str, set[NameBinding]] = field(default_factory=dict)

    def bind(self, name: str, binding: NameBinding) -> None:
        """Add a binding."""
        bound = self.names.get(name)
        if bound is None:
            self.names[name] = {binding}
        else:
            bound.add(binding)

    def owner(self) -> NameScope:
        """Return the scope in which an assignment expression binds: not a comprehension's own."""
        scope = self
        while scope.is_comprehension and scope.parent is not None:
            scope = scope.parent
        return scope


class Scopes:
    """All scopes of a tree, by the node that opens them."""

    def __init__(self, tree: ast.Module) -> None:
        self.module = NameScope(ScopeKind.MODULE)
        self.by_node: dict[ast.AST, NameScope] = {tree: self.module}
        self.declared: set[str] = set()
        """Names that any `global` or `nonlocal` mentions: they are taken to be bound everywhere."""
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.add(tree, self.module)

    def add(self, root: ast.AST, scope: NameScope) -> None:
        """Collect the bindings below a node, which is in `scope`."""
        waiting = [(child_nodes(root), scope)]
        while waiting:
            nodes, at = waiting.pop()
            waiting.extend(self._collect(nodes, at))
        for at in self.by_node.values() if self.declared else ():
            for name in self.declared & at.names.keys():
                self.module.names.setdefault(name, set()).update(at.names[name])

    def _collect(self, stack: list[ast.AST], scope: NameScope) -> Iterator[tuple[list[ast.AST], NameScope]]:
        """Collect what is bound in one scope by the nodes of a stack; yield what is in the scopes within."""
        while stack:
            node = stack.pop()
            kind = type(node)
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Load):
                    scope.bind(node.id, VALUE)
                continue
            if kind is ast.Constant:
                continue
            if kind in _NAMES:
                self._bind(node, scope)
            elif isinstance(node, ast.AnnAssign) and _binds_nothing(node):
                stack.append(node.annotation)
                continue
            if kind in OPENS_SCOPE:
                parts = list(children(node))
                stack += [child for child, inside in parts if not inside]
                yield [child for child, inside in parts if inside], self._inner(node, scope)
            else:
                stack += child_nodes(node)

    def resolve(self, name: str, scope: NameScope) -> tuple[set[NameBinding], bool]:
        """Return all bindings that a name can have in `scope`, and whether it can be a built-in."""
        found: set[NameBinding] = set()
        at: NameScope | None = scope
        while at is not None:
            bound = at.names.get(name)
            if bound:
                found |= bound
                if at.kind is ScopeKind.FUNCTION and name not in self.declared:
                    return found, False
            at = at.parent
        return found, True

    def _inner(self, node: ast.AST, scope: NameScope) -> NameScope:
        if isinstance(node, COMPREHENSIONS):
            inner = self._open(node, scope, ScopeKind.FUNCTION)
            inner.is_comprehension = True
            return inner
        if isinstance(node, Function):
            inner = self._open(node, scope, ScopeKind.FUNCTION)
            for arg in parameters(node.args):
                inner.bind(arg.arg, VALUE)
            return inner
        return scope

    def _open(self, node: ast.AST, parent: NameScope, kind: ScopeKind) -> NameScope:
        self.by_node[node] = NameScope(kind, parent)
        return self.by_node[node]

    def _bind(self, node: ast.AST, scope: NameScope) -> None:
        if isinstance(node, ast.Global | ast.Nonlocal):
            self.declared.update(node.names)
        if isinstance(node, ast.Import | ast.ImportFrom):
            self.imports.append(node)
        for name, binding in bound(node):
            owner = scope.owner() if isinstance(node, ast.NamedExpr) else scope
            owner.bind(name, binding)


def _binds_nothing(node: ast.AnnAssign) -> bool:
    """Return whether an annotation is of a name in parentheses, which is no name of its scope by that."""
    return isinstance(node.target, ast.Name) and not node.simple and node.value is None


def parameters(args: ast.arguments) -> tuple[ast.arg, ...]:
    """Return all parameters of a function."""
    extra = tuple(arg for arg in (args.vararg, args.kwarg) if arg is not None)
    return (*args.posonlyargs, *args.args, *args.kwonlyargs, *extra)


def children(node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the children of a node of `OPENS_SCOPE`, and whether each is evaluated in its scope."""
    if isinstance(node, COMPREHENSIONS):
        yield from _comprehension_parts(node)
        return
    if isinstance(node, ast.NamedExpr):
        yield node.value, True
        return
    outside = set(_outer_parts(node))
    for child in child_nodes(node):
        yield child, child not in outside


def _comprehension_parts(node: Comprehension) -> Iterator[tuple[ast.AST, bool]]:
    elements = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
    for element in elements:
        yield element, True
    for number, generator in enumerate(node.generators):
        yield generator.iter, number > 0
        for part in (generator.target, *generator.ifs):
            yield part, True


def _outer_parts(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            yield from (*node.decorator_list, node.args)
            if node.returns is not None:
                yield node.returns
        case ast.Lambda():
            yield node.args


def bound(node: ast.AST) -> Iterator[tuple[str, NameBinding]]:
    """Yield the names that a node of `BINDS` binds in its own scope."""
    match node:
        case ast.NamedExpr(target=ast.Name(id=name)):
            yield name, VALUE
        case ast.FunctionDef(name=name, decorator_list=[]):
            yield name, OWN_FUNCTION
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name, VALUE
        case ast.ExceptHandler(name=str(name)):
            yield name, VALUE
        case ast.Import() | ast.ImportFrom():
            yield from _imported(node)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, NameBinding]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, NameBinding(BindingKind.LIBRARY, f"{node.module}.{alias.name}")
        else:
            path = alias.name if alias.asname else alias.name.partition(".")[0]
            yield alias.asname or path, NameBinding(BindingKind.MODULE, path)
