"""Links calls with the functions of the program that they call: arguments become values of parameters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from tree_sitter import Node

from engine.analysis.javascript.values import Binding, JavaScriptScope

MOST_LINKS = 5000
"""How many arguments are linked with parameters."""
EACH = "*"
"""The part of a list that stands for each of its elements."""
REST = "\x00rest"
"""Ends the part of a list that stands for its elements from a number on."""
_FUNCTIONS = frozenset({"function_declaration", "function_expression", "arrow_function", "method_definition"})
PER_ELEMENT = frozenset({"forEach", "map", "filter", "find", "some", "every", "flatMap"})
Declare = Callable[[Node, JavaScriptScope, Node, JavaScriptScope, tuple[str, ...]], None]
"""Lets a parameter of a function hold an argument, or a part of it."""
Entry = tuple[Node, JavaScriptScope]


class Linker:
    """Knows where the functions of a program are, and the scope of each."""

    def __init__(self, inner: dict[int, JavaScriptScope], declare: Declare) -> None:
        self._declare = declare
        self._inner = inner
        self.methods: defaultdict[str, list[Node]] = defaultdict(list)
        self._links = 0

    def add(self, function: Node, name: str) -> None:
        """Remember a function by the name of the method that it is."""
        if name:
            self.methods[name].append(function)

    def link(self, calls: list[Entry]) -> None:
        """Let the parameters of known functions hold what calls pass."""
        for call, scope in calls:
            if self._links >= MOST_LINKS:
                return
            callee = call.child_by_field_name("function") or call.child_by_field_name("constructor")
            arguments = call.child_by_field_name("arguments")
            if callee is not None and arguments is not None and arguments.type == "arguments":
                given = [one for one in arguments.named_children if one.type != "comment"]
                method = _method(callee)
                for function in self._called(callee, method, scope):
                    self._pass(function, arguments, given, scope)
                if method in PER_ELEMENT:
                    self._hand_over(callee, given, scope)
                elif method == "then":
                    self._then(callee, given, scope)

    def _called(self, callee: Node, method: str, scope: JavaScriptScope) -> Iterator[Node]:
        while callee.type == "parenthesized_expression" and callee.named_children:
            callee = callee.named_children[0]
        if callee.type in _FUNCTIONS:
            yield callee
        elif callee.type == "identifier":
            binding = scope.find(_text(callee))
            yield from _functions(binding) if binding is not None else ()
        elif callee.type == "member_expression":
            methods = self.methods.get(method or _method(callee), [])
            yield from methods if len(methods) == 1 else ()

    def _pass(self, function: Node, arguments: Node, given: list[Node], scope: JavaScriptScope) -> None:
        inner = self._inner.get(function.id)
        if inner is None:
            return
        for index, (parameter, argument) in enumerate(zip(parameters(function), given, strict=False)):
            self._links += 1
            if parameter.type == "rest_pattern":
                self._declare(parameter, inner, arguments, scope, (f"{index}{REST}",))
                return
            if argument.type == "spread_element":
                return
            self._declare(parameter, inner, argument, scope, ())

    def _then(self, callee: Node, given: list[Node], scope: JavaScriptScope) -> None:
        """Let the parameter of `import('fs').then(f)` hold the module."""
        before = callee.child_by_field_name("object")
        if before is None or before.type != "call_expression":
            return
        made = before.child_by_field_name("function")
        inner = self._inner.get(given[0].id) if given else None
        if inner is not None and made is not None and _makes_promise(made) and parameters(given[0]):
            self._declare(parameters(given[0])[0], inner, before, scope, ())

    def _hand_over(self, callee: Node, given: list[Node], scope: JavaScriptScope) -> None:
        """Let the first parameter of `list.forEach(f)` hold each element of the list."""
        if not given or given[0].type not in _FUNCTIONS:
            return
        inner, taken = self._inner.get(given[0].id), parameters(given[0])
        elements = callee.child_by_field_name("object")
        if inner is not None and taken and elements is not None and taken[0].type != "rest_pattern":
            self._links += 1
            self._declare(taken[0], inner, elements, scope, (EACH,))


def parameters(function: Node) -> list[Node]:
    """Return the parameters of a function."""
    single = function.child_by_field_name("parameter")
    several = function.child_by_field_name("parameters")
    if single is not None:
        return [single]
    return [one for one in several.named_children if one.type != "comment"] if several is not None else []


def elements(pattern: Node) -> Iterator[tuple[str, Node]]:
    """Yield the parts of a list's pattern, each behind the place in the list that it takes."""
    index = 0
    for child in pattern.children:
        if child.type == ",":
            index += 1
        elif child.is_named and child.type != "comment":
            yield f"{index}{REST if child.type == 'rest_pattern' else ''}", child


def _makes_promise(made: Node) -> bool:
    """Return whether what is called gives a promise of a known value."""
    short = made.end_byte - made.start_byte <= len("Promise.resolve")
    return made.type == "import" or (short and _text(made) == "Promise.resolve")


def owned(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the keys and values that methods find under `this`: of a field, or of an object's properties."""
    members = [node] if node.type == "field_definition" else node.named_children
    if node.type == "object" and all(member.type != "method_definition" for member in members):
        return
    for member in members:
        key = member.child_by_field_name("property") or member.child_by_field_name("key")
        value = member.child_by_field_name("value")
        if key is not None and value is not None and key.type == "property_identifier":
            yield key, value


def _functions(binding: Binding) -> Iterator[Node]:
    for definition in binding.definitions:
        value = definition.value
        if value is not None and value.type in _FUNCTIONS and not definition.part:
            yield value
    if binding.node is not None:
        yield from _constructors(binding.node)


def _constructors(class_: Node) -> Iterator[Node]:
    body = class_.child_by_field_name("body")
    for member in body.named_children if body is not None else ():
        name = member.child_by_field_name("name")
        if member.type == "method_definition" and name is not None and _text(name) == "constructor":
            yield member


def method_name(function: Node, key: Node | None) -> str:
    """Return the name under which an object or a class has a function, `key` in an object; else nothing."""
    name = function.child_by_field_name("name") if function.type == "method_definition" else key
    return _text(name) if name is not None and name.type == "property_identifier" else ""


def _method(callee: Node) -> str:
    """Return the name behind the dot of what is called; nothing where there is none."""
    name = callee.child_by_field_name("property") if callee.type == "member_expression" else None
    return _text(name) if name is not None else ""


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")
