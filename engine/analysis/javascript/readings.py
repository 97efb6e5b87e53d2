"""JavaScript that the grammar and Node can read differently: where a slash, `await` or `yield` is two things.

Whether a slash begins a regular expression or divides follows from the token in front of it, with few
exceptions (ECMA-262, clause 12). Everything else that begins a comment or a string is the same for every
parser. So where each slash is read as its predecessor demands, and none follows an exception, Node and the
grammar have the same comments, strings and regular expressions; all others are marked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from engine.analysis.javascript.node_kinds import JSX
from engine.analysis.javascript.scopes import Names
from engine.analysis.syntax import MAX_NODES, Tree, walk
from engine.analysis.text.rules import READINGS
from engine.models import Violation

_WHOLE = frozenset({"comment", "hash_bang_line", "html_comment", "regex", "string"})
"""Nodes that are one token here."""
_COMMENTS = frozenset({"comment", "hash_bang_line", "html_comment"})
_DIVISIONS = frozenset({"/", "/="})
_OPERANDS = frozenset(
    {"identifier", "number", "private_property_identifier", "property_identifier", "regex",
     "shorthand_property_identifier", "string", "undefined", "this", "super", "null", "true", "false", "]",
     ")", "`", "++", "--", "meta", "target"}
)  # fmt: skip
"""Tokens behind which a slash divides; behind all others a regular expression begins."""
_EITHER = frozenset({"}", "await", "yield", "async", "get", "let", "of", "set", "static"})
"""Tokens behind which a slash may do either, by what the parser makes of them."""
_NAMES = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
     "statement_identifier"}
)  # fmt: skip
_RESERVED = frozenset({"await", "yield"})
_ESCAPE = re.compile(r"\\u(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{4}))")
_OWNERS = {
    "yield_expression": frozenset({"generator_function", "generator_function_declaration"}),
    "await_expression": frozenset({"async"}),
}
_FUNCTIONS = frozenset(
    {"function_expression", "function_declaration", "generator_function", "generator_function_declaration",
     "method_definition", "arrow_function"}
)  # fmt: skip
_OPERATES = re.compile(rb"await[ \t]*[^\s(\[+/`-]")
"""An `await` that can be nothing but an operator: what follows cannot go on behind a name."""
_CONTINUED = {
    "binary_expression": "left",
    "call_expression": "function",
    "member_expression": "object",
    "subscript_expression": "object",
    "ternary_expression": "condition",
}
"""Expressions that go on behind their first part, by the name of that part."""
_GOING_ON = (*_CONTINUED, "arrow_function", "expression_statement", "update_expression")
_LOOKED_AT = frozenset({*_NAMES, *_OWNERS, *_GOING_ON})
"""The kinds of nodes that may be read otherwise, but for JSX."""
_WORDS = re.compile(r"await|yield|\\u")
"""What a text has where a word in it may be read otherwise."""
_STATEMENTS = frozenset({"object", "function_expression", "generator_function", "class"})
"""Expressions that are none where a statement begins with them."""


def check(tree: Tree, names: Names) -> Iterator[Violation]:
    """Yield the places that Node can read otherwise."""
    for node in _slashes(tree) if _may_have_slashes(tree, names) else ():
        yield READINGS.violation(tree.span(node), "This slash divides or begins a regular expression")
    for node in walk(tree.root) if _WORDS.search(tree.text) else _going_on(names):
        kind = node.type
        if kind.startswith("jsx_"):
            yield READINGS.violation(tree.span(node), "JSX: Node reads this as comparisons, or not at all")
            return
        if kind not in _LOOKED_AT:
            continue
        if _is_ambiguous_word(node, tree):
            yield READINGS.violation(
                tree.span(node), "A name in scripts, an operator in modules and some functions"
            )
        elif _goes_on(node):
            yield READINGS.violation(tree.span(node), "Node ends a statement within this expression")


def _going_on(names: Names) -> Iterator[Node]:
    """Yield JSX, and what may go on behind its first part: of the most frequent, what an arrow begins."""
    arrows = {node.start_byte for node, _ in names.of("arrow_function")}
    for kind in (*JSX, *_GOING_ON):
        nodes = names.of(kind) if arrows or kind not in _CONTINUED else []
        yield from (node for node, _ in nodes if kind not in _CONTINUED or node.start_byte in arrows)


def _may_have_slashes(tree: Tree, names: Names) -> bool:
    """Return whether a program divides or has regular expressions: not where slashes are only in comments."""
    if "/" not in tree.text:
        return False
    if tree.root.has_error or names.cut or names.of("regex", *JSX):
        return True
    operations = names.of("binary_expression", "augmented_assignment_expression")
    return any(_operator(node) in _DIVISIONS for node, _ in operations)


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _slashes(tree: Tree) -> Iterator[Node]:
    """Yield the slashes that are not read as the token in front of them demands."""
    last, before = None, None
    for token in _tokens(tree.root):
        if _is_slash(token) and (
            _is_broken(token) or _is_either(last, before, tree) or not _is_demanded(token, last)
        ):
            yield token
        last, before = token, last


def _is_slash(token: Node) -> bool:
    return token.type == "regex" or token.type in _DIVISIONS


def _is_broken(token: Node) -> bool:
    """Return whether a comment stands in front of flags: behind a line end within it they are a statement."""
    return any(child.type in _COMMENTS for child in token.children)


def _is_demanded(slash: Node, last: Node | None) -> bool:
    return (slash.type == "regex") is not (last is not None and last.type in _OPERANDS)


def _is_either(last: Node | None, before: Node | None, tree: Tree) -> bool:
    if last is None:
        return False
    if last.type in {"++", "--"}:  # it belongs to what stands on its own line
        return before is None or before.end_point[0] != last.start_point[0]
    return last.type in _EITHER or (last.type == "identifier" and tree.of(last) in _EITHER)


def _tokens(root: Node) -> Iterator[Node]:
    """Yield the tokens of a tree in order, without comments and what is within templates."""
    stack = [root]
    for _ in range(MAX_NODES):
        if not stack:
            return
        node = stack.pop()
        if node.type in _COMMENTS:
            continue
        if node.type in _WHOLE or not node.children:
            yield node
        else:
            stack.extend(reversed(node.children))


def _is_ambiguous_word(node: Node, tree: Tree) -> bool:
    """Return whether `await` or `yield` is a name, or an operator where it may be a name."""
    if node.type in _NAMES:
        return _ESCAPE.sub(_unescaped, tree.of(node)) in _RESERVED
    if node.type not in _OWNERS or _is_within(node, _OWNERS[node.type]):
        return False
    return node.type == "yield_expression" or not _OPERATES.match(tree.data, node.start_byte)


def _unescaped(match: re.Match[str]) -> str:
    number = int(match[1] or match[2], 16)
    return chr(number) if number < 0x110000 else ""


def _is_within(node: Node, owners: frozenset[str]) -> bool:
    """Return whether the innermost function whose body holds a node is one of these."""
    child, parent = node, node.parent
    while parent is not None:
        body = parent.child_by_field_name("body") if parent.type in _FUNCTIONS else None
        if body == child:
            kinds = {parent.type, *(one.type for one in parent.children)}
            starred = parent.type == "method_definition" and "*" in kinds
            return bool(kinds & owners) or (starred and "async" not in owners)
        if parent.type == "class_static_block" or (
            parent.type == "field_definition" and parent.child_by_field_name("value") == child
        ):
            return False
        child, parent = parent, parent.parent
    return False


def _goes_on(node: Node) -> bool:
    """Return whether the grammar continues an expression that ends a statement for Node."""
    if node.type in _CONTINUED:
        first = node.child_by_field_name(_CONTINUED[node.type])
        return first is not None and first.type == "arrow_function"
    if node.type == "update_expression":
        return _is_behind_line(node.children[-1], node.children[0])
    if node.type == "arrow_function":
        body = node.child_by_field_name("body")
        return body is not None and _begins_with(body, frozenset({"object"}))
    return node.type == "expression_statement" and bool(node.children) and _begins_with(node, _STATEMENTS)


def _is_behind_line(operator: Node, before: Node) -> bool:
    """Return whether a line ends in front of `++`, within a comment, so that it belongs to what follows."""
    return operator.type in {"++", "--"} and before.end_point[0] != operator.start_point[0]


def _begins_with(node: Node, kinds: frozenset[str]) -> bool:
    first: Node | None = node
    while first is not None:
        if first.type in kinds:
            return True
        first = first.child(0) if first.child_count else None
    return False
