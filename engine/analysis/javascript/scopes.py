"""Collects scopes, declarations and assignments in one pass over the tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar

from tree_sitter import Node

from engine.analysis.javascript.linking import EACH, Linker, elements, method_name, owned
from engine.analysis.javascript.node_kinds import BLOCKS, CALLS, FUNCTIONS, HANDED, LEAVES, WANTED
from engine.analysis.javascript.values import Binding, Definition, JavaScriptScope
from engine.analysis.syntax import MAX_NODES, Tree

_RECEIVE = FUNCTIONS | HANDED
"""Kinds of nodes that have to know which call they are given to."""


@dataclass(slots=True)
class Names:
    """The names of a program, and the nodes that rules look at, with the scope of each."""

    tree: Tree
    program: JavaScriptScope
    nodes: dict[str, list[tuple[Node, JavaScriptScope]]] = field(default_factory=dict)
    properties: dict[str, list[Definition]] = field(default_factory=dict)
    """Assignments to members of plain names: `a.b = …` under `a.b`."""
    cut: bool = False
    inner: dict[int, JavaScriptScope] = field(default_factory=dict)
    """The scopes of functions, by the number of their node."""
    scopes: list[JavaScriptScope] = field(default_factory=list)
    """The scopes of functions and blocks."""
    methods: dict[str, list[Node]] = field(default_factory=dict)
    """The functions that classes and objects have, by name."""

    def of(self, *kinds: str) -> list[tuple[Node, JavaScriptScope]]:
        """Return the nodes of these kinds in order, with their scopes."""
        return [entry for kind in kinds for entry in self.nodes.get(kind, ())]

    def forget(self) -> None:
        """Break the cycles of scopes and definitions, so that the tree is freed at once."""
        for scope in (self.program, *self.scopes):
            scope.bindings.clear()


def collect(tree: Tree) -> Names:
    """Return the names and nodes of a program."""
    collector = _Collector(tree)
    names = collector.run()
    collector.release()
    return names


class _Collector:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = Names(tree, JavaScriptScope(None, function=True))
        self._late: list[tuple[Node, JavaScriptScope]] = []
        self._keys: dict[int, Node] = {}
        """The keys of functions in objects, by the number of the function: nodes find parents slowly."""
        self._callers: dict[int, Node] = {}
        """The calls that are given functions, by the numbers of their arguments and of the functions."""
        self._nodes: defaultdict[str, list[tuple[Node, JavaScriptScope]]] = defaultdict(list)
        self._linker = Linker(self.names.inner, self._link)

    def run(self) -> Names:
        self.names.cut = self._visit_all()
        self.names.nodes = self._nodes
        for node, scope in self._late:
            self._assign(node, scope)
        for node, scope in self.names.of("object", "field_definition"):
            for key, value in owned(node):
                definition = Definition(value, scope, "=", value.end_byte)
                self.names.properties.setdefault(f"this.{self.tree.of(key)}", []).append(definition)
        self.names.methods = self._linker.methods
        self._linker.link(self.names.of("call_expression", "new_expression"))
        return self.names

    def release(self) -> None:
        """Break the cycle with the linker, so that everything is freed at once."""
        del self._linker

    def _visit_all(self) -> bool:
        """Visit the nodes in order, each in its scope; return whether there are too many of them.

        Where the nodes of a scope end, the scope around it is on the stack.
        """
        stack: list[Node | JavaScriptScope] = [self.tree.root]
        scope, nodes, left = self.names.program, self._nodes, MAX_NODES
        while stack:
            node = stack.pop()
            if isinstance(node, JavaScriptScope):
                scope = node
                continue
            if not left:
                return True
            left -= 1
            kind = node.type
            if kind in WANTED:
                nodes[kind].append((node, scope))
            if kind in LEAVES:
                continue
            below = node.named_children
            if kind in FUNCTIONS or kind in BLOCKS or kind in self._DECLARATIONS:
                stack.append(scope)
                scope = self._declared(node, kind, scope)
            elif kind in CALLS or kind in HANDED:
                self._pass_on(node, kind, below)
            stack += below[::-1]
        return False

    def _link(
        self,
        parameter: Node,
        inner: JavaScriptScope,
        value: Node,
        scope: JavaScriptScope,
        part: tuple[str, ...],
    ) -> None:
        """Let a parameter hold what a call passes."""
        for name, rest, _ in self._targets(parameter):
            binding = inner.bindings.get(name)
            if binding is not None:
                binding.given.append(Definition(value, scope, "=", value.end_byte, (*part, *rest)))

    def _declared(self, node: Node, kind: str, scope: JavaScriptScope) -> JavaScriptScope:
        """Declare what `node` declares, and return the scope of what is within it."""
        inner = scope
        if kind in FUNCTIONS:
            inner = self._function(node, scope, self._callers.get(node.id))
        elif kind in BLOCKS:
            inner = self._inner(scope, function=False)
        declare = self._DECLARATIONS.get(kind)
        if declare is not None:
            declare(self, node, scope, inner)
        return inner

    def _pass_on(self, node: Node, kind: str, children: list[Node]) -> None:
        """Note of the functions that a call is given which call it is."""
        call = node if kind in CALLS else self._callers.get(node.id)
        if call is None:
            return
        for child in children:
            if child.type in _RECEIVE:
                self._callers[child.id] = call

    def _inner(self, scope: JavaScriptScope, *, function: bool) -> JavaScriptScope:
        inner = JavaScriptScope(scope, function)
        self.names.scopes.append(inner)
        return inner

    def _pair(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        if key is not None and value is not None and value.type in FUNCTIONS:
            self._keys[value.id] = key

    def _assignment(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        self._late.append((node, scope))

    def _class(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        self._name(node.child_by_field_name("name"), scope.home(), Binding("class", node=node))

    def _catch(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        self._pattern(node.child_by_field_name("parameter"), inner, None, "parameter", scope)

    def _for_in(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        self._pattern(left, inner, None, "parameter", scope)
        if left is not None and right is not None and any(child.type == "of" for child in node.children):
            self._link(left, inner, right, scope, (EACH,))

    def _function(self, node: Node, scope: JavaScriptScope, call: Node | None) -> JavaScriptScope:
        inner = self._inner(scope, function=True)
        self.names.inner[node.id] = inner
        self._linker.add(node, method_name(node, self._keys.get(node.id)))
        name = node.child_by_field_name("name")
        if node.type.endswith("declaration"):
            self._name(
                name, scope.home(), Binding("function", [Definition(node, scope, "=", node.start_byte)])
            )
        for parameters in (node.child_by_field_name("parameters"), node.child_by_field_name("parameter")):
            if parameters is None:
                continue
            plain = parameters.type == "identifier"
            for child in [parameters] if plain else parameters.named_children:
                self._pattern(child, inner, None, "parameter", scope, call=call, call_scope=scope)
        return inner

    def _variable(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        parent = node.parent
        is_var = parent is not None and parent.type == "variable_declaration"
        self._pattern(target, scope.home() if is_var else scope, value, "variable", scope)

    def _name(self, node: Node | None, scope: JavaScriptScope, binding: Binding) -> None:
        if node is not None:
            scope.bindings.setdefault(self.tree.of(node), binding)

    def _pattern(
        self,
        target: Node | None,
        home: JavaScriptScope,
        value: Node | None,
        kind: str,
        scope: JavaScriptScope,
        *,
        call: Node | None = None,
        call_scope: JavaScriptScope | None = None,
    ) -> None:
        """Declare every name of a pattern, with the part of the value that it takes."""
        for name, part, default in self._targets(target):
            binding = home.bindings.get(name)
            if binding is None:
                binding = home.bindings[name] = Binding(kind, caller=call, caller_scope=call_scope)
            given = value if value is not None else default
            if given is not None:
                taken = part if value is not None else ()
                binding.add(Definition(given, scope, "=", given.end_byte, taken))

    def _targets(self, target: Node | None) -> list[tuple[str, tuple[str, ...], Node | None]]:
        """Return the names in a pattern with the path of keys to each, and its default."""
        found: list[tuple[str, tuple[str, ...], Node | None]] = []
        stack: list[tuple[Node | None, tuple[str, ...], Node | None]] = [(target, (), None)]
        while stack and len(found) < 200:
            node, part, default = stack.pop()
            if node is None:
                continue
            kind = node.type
            if kind in {"identifier", "shorthand_property_identifier_pattern"}:
                name = self.tree.of(node)
                shorthand = kind != "identifier"
                found.append((name, (*part, name) if shorthand else part, default))
            elif kind in {"assignment_pattern", "object_assignment_pattern"}:
                stack.append((node.child_by_field_name("left"), part, node.child_by_field_name("right")))
            elif kind == "pair_pattern":
                key = node.child_by_field_name("key")
                text = self.tree.of(key).strip("\"'`[]") if key is not None else "?"
                if key is not None and key.type == "computed_property_name":
                    text = text if key.named_children[0].type == "string" else "?"
                stack.append((node.child_by_field_name("value"), (*part, text), default))
            elif kind == "array_pattern":
                stack.extend((child, (*part, place), None) for place, child in elements(node))
            elif kind in {"object_pattern", "rest_pattern"}:
                stack.extend((child, part, None) for child in node.named_children)
        return found

    def _import(self, node: Node, scope: JavaScriptScope, inner: JavaScriptScope) -> None:
        source = node.child_by_field_name("source")
        if source is None:
            return
        module = self.tree.of(source)[1:-1]
        for clause in (child for child in node.named_children if child.type == "import_clause"):
            for child in clause.named_children:
                self._import_clause(child, module, scope)

    def _import_clause(self, node: Node, module: str, scope: JavaScriptScope) -> None:
        if node.type == "identifier":
            self._name(node, scope, Binding("import", path=module))
        elif node.type == "namespace_import":
            self._name(node.named_children[-1], scope, Binding("import", path=module))
        for part in node.named_children if node.type == "named_imports" else ():
            name = part.child_by_field_name("name")
            if name is not None:
                text = self.tree.of(name)
                path = module if text == "default" else f"{module}.{text}"
                self._name(part.child_by_field_name("alias") or name, scope, Binding("import", path=path))

    def _assign(self, node: Node, scope: JavaScriptScope) -> None:
        """Attach an assignment to the name, or to the member of a name, that it changes."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return
        operator = "="
        if node.type.startswith("augmented"):
            operator = self.tree.slice(left.end_byte, right.start_byte).strip()
        if left.type in {"member_expression", "subscript_expression"}:
            key = "".join(self.tree.of(left).split())
            if len(key) < 120:
                self.names.properties.setdefault(key, []).append(
                    Definition(right, scope, operator, node.start_byte)
                )
            return
        for name, part, _ in self._targets(left):
            binding = scope.find(name)
            if binding is None:
                binding = self.names.program.bindings.setdefault(name, Binding("variable"))
            binding.add(Definition(right, scope, operator, node.end_byte, part))

    _DECLARATIONS: ClassVar[
        dict[str, Callable[[_Collector, Node, JavaScriptScope, JavaScriptScope], None]]
    ] = {
        "pair": _pair,
        "variable_declarator": _variable,
        "import_statement": _import,
        "assignment_expression": _assignment,
        "augmented_assignment_expression": _assignment,
        "class_declaration": _class,
        "catch_clause": _catch,
        "for_in_statement": _for_in,
    }
