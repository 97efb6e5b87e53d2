"""Evaluates expressions: folds constants and resolves names to libraries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import ClassVar

from tree_sitter import Node

from engine.analysis.javascript import calling, literals, operators, properties
from engine.analysis.javascript.arithmetic import sum_of
from engine.analysis.javascript.library import (
    BY_CONVENTION,
    GLOBALS,
    module_path,
    taints_of,
)
from engine.analysis.javascript.scopes import Names
from engine.analysis.javascript.values import (
    NOTHING,
    AssignedStep,
    Binding,
    Definition,
    JavaScriptScope,
    JavaScriptValue,
    any_of,
    unescaped,
    unknown,
)

MAX_DEPTH = 60
MAX_STEPS = 200_000
_MOST_CALLS = 16
"""Calls of a function whose arguments are looked at."""
_SPREAD = "\x00spread"
"""Stands for `...` among the keys of an object."""


_FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "generator_function")
_TRANSPARENT = (
    "parenthesized_expression", "sequence_expression", "await_expression", "spread_element",
    "yield_expression",
)  # fmt: skip
Work = Callable[["Resolver", Node, JavaScriptScope, int], JavaScriptValue]


class Resolver:
    """Answers what an expression is, within bounds of depth and of steps."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.tree = names.tree
        self.steps = 0
        self._memo: dict[tuple[int, int], JavaScriptValue] = {}
        self._left_out: dict[tuple[int, int], int] = {}
        """At which depth an answer was left out for its depth; asked from further up, it may be found."""
        self._busy: set[tuple[int, int]] = set()
        self.deep = 0
        """How often an answer was left out for its depth."""
        self._circles = 0
        """How often an answer was left out because it was being worked out."""
        self._cuts = 0
        """How often an answer was left out for its depth, or because it was being worked out."""
        self._keys: dict[tuple[int, int], dict[str, Node]] = {}

    def value(self, node: Node | None, scope: JavaScriptScope, depth: int = 0) -> JavaScriptValue:
        """Return what `node`, seen from `scope`, is known to be."""
        if node is None:
            return NOTHING
        kind = node.type
        work = self._KINDS.get(kind)
        if work is None:
            return NOTHING
        key = (node.start_byte, node.end_byte)
        known = self._memo.get(key)
        if known is not None:
            return known
        busy = key in self._busy and kind != "parenthesized_expression"
        too_deep = depth >= self._left_out.get(key, MAX_DEPTH + 1)
        if too_deep or self.steps > MAX_STEPS or busy:
            self.deep += too_deep
            self._circles += busy
            self._cuts += 1
            return NOTHING
        cuts, circles = self._cuts, self._circles
        self.steps += 1
        self._busy.add(key)
        try:
            found = work(self, node, scope, depth + 1)
        finally:
            self._busy.discard(key)
        if found is not NOTHING or cuts == self._cuts:
            self._memo[key] = found
        elif circles == self._circles and self.steps <= MAX_STEPS:
            self._left_out[key] = depth
        return found

    def inside(self, function: Node) -> JavaScriptScope | None:
        """Return the scope of a function's body."""
        return self.names.inner.get(function.id)

    def path(self, node: Node | None, scope: JavaScriptScope) -> str:
        """Return the library path of an expression, or nothing."""
        return self.value(node, scope).path

    def arguments(self, call: Node, scope: JavaScriptScope) -> list[JavaScriptValue]:
        """Return the values of a call's arguments."""
        args = call.child_by_field_name("arguments")
        if args is None or args.type != "arguments":
            return []
        return [self.value(arg, scope, 1) for arg in args.named_children if arg.type != "comment"]

    # --- names ------------------------------------------------------------------------------------

    def _identifier(self, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
        name = unescaped(self.tree.of(node))
        binding = scope.find(name)
        if binding is None:
            if name in GLOBALS:
                return JavaScriptValue("path", path="globalThis")
            path = BY_CONVENTION.get(name, name)
            return JavaScriptValue("path", path=path, taints=taints_of(path))
        if binding.kind == "import":
            path = module_path(binding.path)
            return JavaScriptValue("path", path=path, origin=(), taints=taints_of(path))
        if binding.given and not binding.definitions:
            found = any_of([self._defined(one, depth) for one in binding.given[:_MOST_CALLS]])
            if found is not NOTHING:
                return found
        if binding.kind == "parameter" and binding.caller is not None:
            return self._callback_argument(binding, depth)
        return self._bound(name, binding, node.start_byte, depth)

    def _callback_argument(self, binding: Binding, depth: int) -> JavaScriptValue:
        """Return the parameter of a callback, with the taint of the function that calls it."""
        caller, scope = binding.caller, binding.caller_scope
        if caller is None or scope is None:
            return NOTHING
        callee = caller.child_by_field_name("function") or caller.child_by_field_name("constructor")
        taints = self.value(callee, scope, depth).taints
        return JavaScriptValue("unknown", taints=taints | {"parameter"})

    def _bound(self, name: str, binding: Binding, position: int, depth: int) -> JavaScriptValue:
        """What the definitions before `position` make of a name, or else the first one that is known."""
        definitions, history = binding.definitions, binding.history
        most = len(definitions)
        before = most if most == 1 else bisect_right(definitions, position, key=lambda d: d.position)
        at = min(before, len(history))
        found = history[at - 1] if at else NOTHING
        while at < before or (at < most and found is NOTHING):
            if self.steps > MAX_STEPS:
                self._cuts += 1
                break
            self.steps += 1
            cuts = self._cuts
            found = self._redefined(found, name, definitions[at], depth)
            if cuts == self._cuts and at == len(history):
                history.append(found)
            at += 1
        return found

    def _redefined(
        self, found: JavaScriptValue, name: str, definition: Definition, depth: int
    ) -> JavaScriptValue:
        value = self._defined(definition, depth)
        if definition.operator in {"+="}:
            value = sum_of([found, value])
        elif definition.operator != "=" and definition.operator not in {"||=", "??=", "&&="}:
            value = NOTHING
        found = value if value is not NOTHING or not found.path else found
        return self._noted(found, name, definition)

    def _defined(self, definition: Definition, depth: int) -> JavaScriptValue:
        value = self.value(definition.value, definition.scope, depth)
        for key in definition.part:
            value = self.property_of(value, key, depth)
        return value

    def _noted(self, value: JavaScriptValue, name: str, definition: Definition) -> JavaScriptValue:
        if (
            value.kind not in {"text", "path", "list", "unknown"}
            or value is NOTHING
            or definition.value is None
        ):
            return value
        if not (value.path or value.text or value.taints):
            return value
        step = AssignedStep(self.tree, name, definition.value.start_byte, definition.value.end_byte)
        return value._replace(origin=(*value.origin, step)[-6:])

    # --- members ----------------------------------------------------------------------------------

    def _member(self, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
        name = node.child_by_field_name("property")
        target = self.value(node.child_by_field_name("object"), scope, depth)
        assigned = self._assigned_property(node, depth)
        if assigned is not None:
            return assigned
        return self.property_of(target, unescaped(self.tree.of(name)) if name is not None else "?", depth)

    def _subscript(self, node: Node, scope: JavaScriptScope, depth: int) -> JavaScriptValue:
        target = self.value(node.child_by_field_name("object"), scope, depth)
        index = self.value(node.child_by_field_name("index"), scope, depth)
        assigned = self._assigned_property(node, depth)
        if assigned is not None:
            return assigned
        if not index.known:
            return unknown(target, index, path=f"{target.path or '?'}.?")
        found = self.property_of(target, index.text, depth)
        return found._replace(origin=(*found.origin, *index.origin)[-6:])

    def _assigned_property(self, node: Node, depth: int) -> JavaScriptValue | None:
        if not self.names.properties:
            return None
        written = self.tree.of(node) if node.end_byte - node.start_byte < 120 else ""
        definitions = self.names.properties.get("".join(written.split()))
        if not definitions:
            return None
        found = [self._defined(definition, depth) for definition in definitions[-3:]]
        return next((value for value in found if value.path or value.known), None)

    def property_of(self, target: JavaScriptValue, name: str, depth: int) -> JavaScriptValue:
        """Return what the property `name` of `target` is."""
        found = properties.element(target, name)
        if found is not None:
            return found
        if target.kind == "object":
            found = self._held(target, name, depth)
            if found is not None:
                return found
        found = properties.member(target, name)
        return self._own(found, name, depth) if found.kind == "unknown" else found

    def _held(self, target: JavaScriptValue, name: str, depth: int) -> JavaScriptValue | None:
        """Return a property of an object that is written out, or of one of those that it is merged from."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            return None
        merged = list(target.items)
        if target.node is not None and target.scope is not None:
            keys = self._keys_of(target.node)
            key = keys.get(name)
            if key is not None:
                inner = key.child_by_field_name("value") if key.type == "pair" else key
                return self.value(inner, target.scope, depth)
            merged += [self.value(keys[_SPREAD], target.scope, depth)] if _SPREAD in keys else []
        found = (self.property_of(one, name, depth) for one in reversed(merged))
        return next((one for one in found if one.kind != "unknown" and not one.path.startswith("?.")), None)

    def _own(self, found: JavaScriptValue, name: str, depth: int) -> JavaScriptValue:
        """Return what objects of the program have under a name, as far as it may be a part of a library."""
        definitions = self.names.properties.get(f"this.{name}", ())
        held = any_of([self._defined(one, depth) for one in definitions[-_MOST_CALLS:]])
        if held.path and held.kind == "path":
            return held
        methods = self.names.methods.get(name, ())
        if len(methods) != 1:
            return found
        if any(child.type == "get" for child in methods[0].children):
            given = calling.result_of(self, methods[0], depth)
            return given if given.path else found
        return found._replace(kind="function", node=methods[0])

    def _keys_of(self, node: Node) -> dict[str, Node]:
        """Return the pairs and shorthands of an object by key, the first of each, and the last spread."""
        place = (node.start_byte, node.end_byte)
        keys = self._keys.get(place)
        if keys is None:
            keys = self._keys[place] = {}
            for child in node.named_children:
                if child.type == "spread_element":
                    keys[_SPREAD] = child
                key = child.child_by_field_name("key") if child.type == "pair" else child
                if key is not None and child.type in {"pair", "shorthand_property_identifier"}:
                    keys.setdefault(self.tree.of(key).strip("\"'`[]"), child)
        return keys

    _KINDS: ClassVar[dict[str, Work]] = {
        **dict.fromkeys(("identifier", "shorthand_property_identifier"), _identifier),
        **dict.fromkeys(("call_expression", "new_expression"), calling.call),
        **dict.fromkeys(("true", "false", "null", "undefined"), literals.atom),
        **dict.fromkeys(_FUNCTIONS, literals.function),
        **dict.fromkeys(_TRANSPARENT, operators.last),
        "string": literals.string,
        "template_string": literals.template,
        "number": literals.number,
        "member_expression": _member,
        "subscript_expression": _subscript,
        "binary_expression": operators.binary,
        "ternary_expression": operators.either,
        **dict.fromkeys(("array", "arguments"), literals.array),
        "object": literals.object_,
        "regex": literals.regex,
        "this": literals.this,
        "import": literals.import_,
        "meta_property": literals.meta,
        "assignment_expression": operators.assigned,
        "unary_expression": operators.unary,
    }
