"""From expressions to what they are: constants folded, names followed to the library that they came from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from tree_sitter import Node

from engine.analysis.javascript.arithmetic import arithmetic, sum_of
from engine.analysis.javascript.folding import fold, spread
from engine.analysis.javascript.library import (
    BY_CONVENTION,
    FAMILIAR,
    GLOBALS,
    PASS_ON,
    REQUIRES,
    carriers,
    module_path,
    shortened,
    taints_of,
)
from engine.analysis.javascript.scopes import Names
from engine.analysis.javascript.values import (
    NOTHING,
    UNKNOWN,
    Binding,
    Definition,
    Scope,
    Value,
    text,
    unescaped,
    unknown,
)
from engine.models import Evidence
from engine.text import Untrusted

MAX_DEPTH = 60
MAX_STEPS = 200_000
MAX_DIGITS = 400
DESCRIPTOR = "{}"
"""Ends the path of a property's descriptor."""


_FUNCTIONS = ("arrow_function", "function_expression", "function_declaration", "generator_function")
_TRANSPARENT = (
    "parenthesized_expression", "sequence_expression", "await_expression", "spread_element",
    "yield_expression",
)  # fmt: skip


class Resolver:
    """Answers what an expression is, within bounds of depth and of steps."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.tree = names.tree
        self.steps = 0
        self._memo: dict[tuple[int, int], Value] = {}
        self._busy: set[tuple[int, int]] = set()
        self._cuts = 0
        """How often an answer was left out for its depth, or because it was being worked out."""
        self._keys: dict[tuple[int, int], dict[str, Node]] = {}
        self._kinds: dict[str, Callable[[Node, Scope, int], Value]] = {
            **dict.fromkeys(("identifier", "shorthand_property_identifier"), self._identifier),
            **dict.fromkeys(("call_expression", "new_expression"), self._call),
            **dict.fromkeys(("true", "false", "null", "undefined"), self._atom),
            **dict.fromkeys(_FUNCTIONS, self._function),
            **dict.fromkeys(_TRANSPARENT, self._last),
            "string": self._string,
            "template_string": self._template,
            "number": self._number,
            "member_expression": self._member,
            "subscript_expression": self._subscript,
            "binary_expression": self._binary,
            "ternary_expression": self._either,
            "array": self._array,
            "object": self._object,
            "regex": self._regex,
            "this": self._this,
            "import": self._import,
            "meta_property": self._meta,
            "assignment_expression": self._assigned,
            "unary_expression": self._unary,
        }

    def value(self, node: Node | None, scope: Scope, depth: int = 0) -> Value:
        """Return what `node`, seen from `scope`, is known to be."""
        if node is None:
            return NOTHING
        kind = node.type
        work = self._kinds.get(kind)
        if work is None:
            return NOTHING
        key = (node.start_byte, node.end_byte)
        known = self._memo.get(key)
        if known is not None:
            return known
        if (
            depth > MAX_DEPTH
            or self.steps > MAX_STEPS
            or (key in self._busy and kind != "parenthesized_expression")
        ):
            self._cuts += 1
            return NOTHING
        self.steps += 1
        self._busy.add(key)
        cuts = self._cuts
        try:
            found = work(node, scope, depth + 1)
        finally:
            self._busy.discard(key)
        if found is not NOTHING or cuts == self._cuts:
            self._memo[key] = found
        return found

    def path(self, node: Node | None, scope: Scope) -> str:
        """Return the library path of an expression, empty where it has none."""
        return self.value(node, scope).path

    def arguments(self, call: Node, scope: Scope) -> list[Value]:
        """Return the values of a call's arguments."""
        args = call.child_by_field_name("arguments")
        if args is None or args.type != "arguments":
            return []
        return [self.value(arg, scope, 1) for arg in args.named_children if arg.type != "comment"]

    # --- literals ---------------------------------------------------------------------------------

    def _string(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("text", unescaped(self.tree.of(node)[1:-1]))

    def _template(self, node: Node, scope: Scope, depth: int) -> Value:
        parts: list[str] = []
        sources: list[Value] = []
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type == "template_substitution":
                parts.append(unescaped(self.tree.slice(at, child.start_byte)))
                inner = self.value(child.named_children[0], scope, depth) if child.named_children else NOTHING
                parts.append(inner.text if inner.kind in {"text", "number"} else UNKNOWN)
                sources.append(inner)
                at = child.end_byte
        parts.append(unescaped(self.tree.slice(at, node.end_byte - 1)))
        return text("".join(parts), *sources)

    def _number(self, node: Node, scope: Scope, depth: int) -> Value:
        raw = self.tree.of(node).replace("_", "").rstrip("n")
        if len(raw) > MAX_DIGITS:
            return NOTHING
        try:
            number = int(raw, 0) if raw[:2].lower() in {"0x", "0o", "0b"} else float(raw)
        except ValueError:
            return NOTHING
        whole = abs(number) < 1e300 and number == int(number)
        return Value("number", str(int(number)) if whole else str(number))

    def _regex(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("regex", path=self.tree.of(node))

    def _atom(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("atom", node.type)

    def _array(self, node: Node, scope: Scope, depth: int) -> Value:
        children = [child for child in node.named_children if child.type != "comment"]
        items: list[Value] = []
        for child in children[:4096]:
            value = self.value(child, scope, depth)
            items.extend(spread(value) if child.type == "spread_element" else (value,))
        origin = tuple(step for item in items[:8] for step in item.origin)[:4]
        taints = frozenset(taint for item in items for taint in item.taints)
        return Value("list", items=tuple(items), node=node, scope=scope, origin=origin, taints=taints)

    def _object(self, node: Node, scope: Scope, depth: int) -> Value:
        taints: set[str] = set()
        for child in node.named_children[:64]:
            inner = child.child_by_field_name("value") if child.type == "pair" else child

            if inner is not None and child.type in {
                "pair",
                "spread_element",
                "shorthand_property_identifier",
            }:
                taints |= self.value(inner, scope, depth).taints
        return Value("object", node=node, scope=scope, taints=frozenset(taints))

    def _function(self, node: Node, scope: Scope, depth: int) -> Value:
        """A function; one that only passes its argument on counts as the function that it calls."""
        body = node.child_by_field_name("body")
        parameter = node.child_by_field_name("parameter") or node.child_by_field_name("parameters")
        path = ""
        if body is not None and body.type == "call_expression" and parameter is not None:
            args = body.child_by_field_name("arguments")
            given = self.tree.of(args)[1:-1].strip() if args is not None else ""
            if given and given == self.tree.of(parameter).strip("()").split(",")[0].strip():
                path = self.value(body.child_by_field_name("function"), scope, depth).path
        return Value("function", path=path, node=node, scope=scope)

    # --- names ------------------------------------------------------------------------------------

    def _this(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("path", path="this")

    def _import(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("path", path="import")

    def _meta(self, node: Node, scope: Scope, depth: int) -> Value:
        return Value("path", path=self.tree.of(node))

    def _identifier(self, node: Node, scope: Scope, depth: int) -> Value:
        name = unescaped(self.tree.of(node))
        binding = scope.find(name)
        if binding is None:
            if name in GLOBALS:
                return Value("path", path="globalThis")
            path = BY_CONVENTION.get(name, name)
            return Value("path", path=path, taints=taints_of(path))
        if binding.kind == "import":
            path = module_path(binding.path)
            return Value("path", path=path, origin=(), taints=taints_of(path))
        if binding.kind == "parameter" and binding.caller is not None:
            return self._handed(binding, depth)
        return self._bound(name, binding, node.start_byte, depth)

    def _handed(self, binding: Binding, depth: int) -> Value:
        """A callback's parameter holds what its caller gives it: a response, a file, a line."""
        caller, scope = binding.caller, binding.caller_scope
        if caller is None or scope is None:
            return NOTHING
        callee = caller.child_by_field_name("function") or caller.child_by_field_name("constructor")
        taints = self.value(callee, scope, depth).taints
        return Value("unknown", taints=taints | {"parameter"})

    def _bound(self, name: str, binding: Binding, position: int, depth: int) -> Value:
        """What the definitions before `position` make of a name, or else the first one that is known."""
        definitions, history = binding.definitions, binding.history
        most = len(definitions)
        before = most if most == 1 else bisect_right(definitions, position, key=lambda d: d.position)
        at = min(before, len(history))
        found = history[at - 1] if at else NOTHING
        while at < before or (at < most and found is NOTHING):
            cuts = self._cuts
            found = self._redefined(found, name, definitions[at], depth)
            if cuts == self._cuts and at == len(history):
                history.append(found)
            at += 1
        return found

    def _redefined(self, found: Value, name: str, definition: Definition, depth: int) -> Value:
        value = self._defined(definition, depth)
        if definition.operator in {"+="}:
            value = sum_of([found, value])
        elif definition.operator != "=" and definition.operator not in {"||=", "??=", "&&="}:
            value = NOTHING
        found = value if value is not NOTHING or not found.path else found
        return self._noted(found, name, definition)

    def _defined(self, definition: Definition, depth: int) -> Value:
        value = self.value(definition.value, definition.scope, depth)
        for key in definition.part:
            value = self._property(value, key, depth)
        return value

    def _noted(self, value: Value, name: str, definition: Definition) -> Value:

        if (
            value.kind not in {"text", "path", "list", "unknown"}
            or value is NOTHING
            or definition.value is None
        ):
            return value
        if not (value.path or value.text or value.taints):
            return value
        span = self.tree.span(definition.value)
        step = Evidence(span=span, text=Untrusted(f"{name} = {self.tree.of(definition.value)}"[:160]))
        return replace(value, origin=(*value.origin, step)[-6:])

    def _assigned(self, node: Node, scope: Scope, depth: int) -> Value:
        return self.value(node.child_by_field_name("right"), scope, depth)

    # --- members ----------------------------------------------------------------------------------

    def _member(self, node: Node, scope: Scope, depth: int) -> Value:
        name = node.child_by_field_name("property")
        target = self.value(node.child_by_field_name("object"), scope, depth)
        assigned = self._assigned_property(node, depth)
        if assigned is not None:
            return assigned
        return self._property(target, unescaped(self.tree.of(name)) if name is not None else "?", depth)

    def _subscript(self, node: Node, scope: Scope, depth: int) -> Value:
        target = self.value(node.child_by_field_name("object"), scope, depth)
        index = self.value(node.child_by_field_name("index"), scope, depth)
        assigned = self._assigned_property(node, depth)
        if assigned is not None:
            return assigned
        if not index.known:
            return unknown(target, index, path=f"{target.path or '?'}.?")
        found = self._property(target, index.text, depth)
        return replace(found, origin=(*found.origin, *index.origin)[-6:])

    def _assigned_property(self, node: Node, depth: int) -> Value | None:
        if not self.names.properties:
            return None
        written = self.tree.of(node) if node.end_byte - node.start_byte < 120 else ""
        definitions = self.names.properties.get("".join(written.split()))
        if not definitions:
            return None
        found = [self._defined(definition, depth) for definition in definitions[-3:]]
        return next((value for value in found if value.path or value.known), None)

    def _property(self, target: Value, name: str, depth: int) -> Value:
        if target.kind == "list" and name.isdigit():
            return target.items[int(name)] if int(name) < len(target.items) else NOTHING
        if target.kind == "text" and name.isdigit() and target.known:
            return text(target.text[int(name) : int(name) + 1], target)
        if target.kind == "object" and target.node is not None and target.scope is not None:
            key = self._keys_of(target.node).get(name)
            if key is not None:
                inner = key.child_by_field_name("value") if key.type == "pair" else key
                return self.value(inner, target.scope, depth)
        if name == "length" and target.known:
            return Value("number", str(len(target.text)))
        if target.path in {"globalThis", "this"} and (target.path != "this" or name in FAMILIAR):
            return Value("path", path="globalThis" if name in GLOBALS else name, origin=target.origin)
        base = target.path or "?"
        path = shortened(base if name == "default" else f"{base}.{name}").replace(f"{DESCRIPTOR}.value", "")
        kind = "unknown" if base == "?" and target.kind == "unknown" else "path"
        return Value(kind, path=path, taints=target.taints | taints_of(path), origin=target.origin)

    def _keys_of(self, node: Node) -> dict[str, Node]:
        """Return the pairs and shorthands of an object by key, the first of each."""
        place = (node.start_byte, node.end_byte)
        keys = self._keys.get(place)
        if keys is None:
            keys = self._keys[place] = {}
            for child in node.named_children:
                key = child.child_by_field_name("key") if child.type == "pair" else child
                if key is not None and child.type in {"pair", "shorthand_property_identifier"}:
                    keys.setdefault(self.tree.of(key).strip("\"'`[]"), child)
        return keys

    # --- calls and operators ----------------------------------------------------------------------

    def _call(self, node: Node, scope: Scope, depth: int) -> Value:
        callee = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        target = self.value(callee, scope, depth)
        args = self.arguments(node, scope)
        path = target.path
        if path in REQUIRES:
            return self._required(path, target, args)
        if path.endswith(".bind") and target.origin is not None:
            return Value("path", path=path[: -len(".bind")], taints=target.taints, origin=target.origin)
        if path in {"Reflect.get", "Object.getOwnPropertyDescriptor"} and len(args) > 1 and args[1].known:
            found = self._property(args[0], args[1].text, depth)
            return found if path == "Reflect.get" else replace(found, path=f"{found.path}{DESCRIPTOR}")
        if path in PASS_ON and args:
            return next((arg for arg in args if arg.path), args[0])
        folded = self._folded(callee, scope, path, args, depth)
        if folded is not None:
            return folded
        result = f"{path}()" if path else ""
        return unknown(target, *carriers(path, args), path=shortened(result))

    def _required(self, path: str, target: Value, args: list[Value]) -> Value:
        if not args or not args[0].known:
            return unknown(target, *args, path="module.?")
        name = module_path(args[0].text)
        if path in {"process.binding", "process._linkedBinding"}:
            name = f"binding.{name}"
        if "createRequire" in path and args[0].text.startswith(("file:", "/", ".")):
            name = "require"
        return Value("path", path=name, origin=args[0].origin, taints=taints_of(name), layers=args[0].layers)

    def _folded(
        self, callee: Node | None, scope: Scope, path: str, args: list[Value], depth: int
    ) -> Value | None:
        if callee is None:
            return None
        receiver, name = NOTHING, path
        if callee.type in {"member_expression", "subscript_expression"}:
            receiver = self.value(callee.child_by_field_name("object"), scope, depth)
            name = path.rsplit(".", 1)[-1] if receiver.kind in {"text", "list", "number"} else path
        return fold(name, receiver, args)

    def _binary(self, node: Node, scope: Scope, depth: int) -> Value:
        """Fold a chain of `+` from the left without recursing into it; `||` and `??` yield what is known."""
        chain: list[Node] = []
        at: Node | None = node
        while (
            at is not None
            and at.type == "binary_expression"
            and self._operator(at) == "+"
            and len(chain) < 5000
        ):
            right = at.child_by_field_name("right")
            if right is not None:
                chain.append(right)
            at = at.child_by_field_name("left")
        if chain:
            values = [
                self.value(at, scope, depth),
                *(self.value(part, scope, depth) for part in reversed(chain)),
            ]
            return sum_of(values)
        left = self.value(node.child_by_field_name("left"), scope, depth)
        right_value = self.value(node.child_by_field_name("right"), scope, depth)
        if self._operator(node) in {"||", "??", "&&"}:
            return next(
                (v for v in (left, right_value) if v.path and v.kind == "path"),
                left if left.known else right_value,
            )
        return arithmetic(self._operator(node), left, right_value)

    def _operator(self, node: Node) -> str:
        operator = node.child_by_field_name("operator")
        return operator.type if operator is not None else ""

    def _last(self, node: Node, scope: Scope, depth: int) -> Value:
        inner = [child for child in node.named_children if child.type != "comment"]
        return self.value(inner[-1], scope, depth) if inner else NOTHING

    def _either(self, node: Node, scope: Scope, depth: int) -> Value:

        values = [
            self.value(node.child_by_field_name(name), scope, depth)
            for name in ("consequence", "alternative")
        ]
        return next((value for value in values if value.path), NOTHING)

    def _unary(self, node: Node, scope: Scope, depth: int) -> Value:
        inner = self.value(node.child_by_field_name("argument"), scope, depth)
        if inner.kind == "number" and self.tree.of(node).startswith("-"):
            return Value("number", "-" + inner.text)
        return NOTHING
