"""Which declaration each name refers to. `eval` and `with`, which could change it, are unproven."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.verdict.javascript.global_names import GLOBALS, INHERITED_GLOBALS, UNDECLARABLE
from engine.analysis.verdict.javascript.scopes import LexicalScope
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart

FUNCTION_TYPES = frozenset({"function_declaration", "function_expression", "arrow_function"})
_BLOCKS = frozenset({"statement_block", "for_statement", "for_in_statement", "switch_body", "catch_clause"})
_LANGUAGE = GLOBALS | INHERITED_GLOBALS | UNDECLARABLE
REFERENCES = frozenset(
    {"identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern"}
)


class DeclaredNames:
    """Declares all names of a program, then says what each refers to."""

    def __init__(self, root: SyntaxPart) -> None:
        self._program = LexicalScope(None, function=True)
        self._names: list[tuple[SyntaxPart, LexicalScope]] = []
        self._targets: set[SyntaxPart] = set()
        self._bound: set[SyntaxPart] = set()
        self.declared: set[str] = set()
        """All names that the program declares."""
        self.implicit: list[SyntaxPart] = []
        """Assigned names that nothing declares: they become properties of the global object."""
        self._walk(root)
        for part, scope in self._names:
            part.variable = scope.find(part.text)
        self._declare_implicit()
        self.uncertain = [part for part, scope in self._names if _is_uncertain(part.text, scope)]
        """Names that refer to a function in a block that they are not in, or to something else."""
        self.declared.update(part.variable.name for part in self._bound if part.variable is not None)
        for part, _ in self._names:
            if part.variable is not None and part not in self._bound:
                part.variable.references.append(part)

    def _declare_implicit(self) -> None:
        self.implicit = [part for part, _ in self._names if part in self._targets and part.variable is None]
        for part in self.implicit:
            self._program.declare(part.text)
        for part, scope in self._names:
            part.variable = part.variable or scope.find(part.text)

    def _walk(self, root: SyntaxPart) -> None:
        stack = [(root, self._program)]
        while stack:
            part, scope = stack.pop()
            if part.type in REFERENCES:
                self._names.append((part, scope))
            self._declare(part, scope)
            stack.extend(self._inside(part, scope))

    def _inside(self, part: SyntaxPart, scope: LexicalScope) -> Iterator[tuple[SyntaxPart, LexicalScope]]:
        """Yield the parts of a node, each with the scope that it is evaluated in."""
        if part.type in FUNCTION_TYPES:
            yield from self._function(part, scope)
            return
        inner = scope
        if part.type in _BLOCKS:
            inner = LexicalScope(scope)
            self._declare_heads(part, inner)
        yield from ((child, inner) for child in part.parts)

    def _declare_heads(self, part: SyntaxPart, inner: LexicalScope) -> None:
        if part.type == "catch_clause" and "parameter" in part.fields:
            self._bind(part.field("parameter"), inner, is_var=False)
        elif part.type == "for_in_statement" and {"let", "const"} & set(part.words):
            self._bind(part.field("left"), inner, is_var=False)

    def _function(self, part: SyntaxPart, scope: LexicalScope) -> Iterator[tuple[SyntaxPart, LexicalScope]]:
        name, body = part.fields.get("name"), part.fields.get("body")
        heads = LexicalScope(scope, parameters=True)
        if name is not None and part.type == "function_expression":
            outer = LexicalScope(scope)
            self._bind(name, outer, is_var=False)
            heads.parent = outer
            yield name, outer
        elif name is not None:
            yield name, scope
        part.function = OwnFunction(part)
        inner = LexicalScope(heads, function=True)
        for child in part.parts:
            if child is not body and child is not name:
                self._bind(child, heads, is_var=False)
                yield child, heads
        if body is not None and body.type == "statement_block":
            yield from ((child, inner) for child in body.parts)
        elif body is not None:
            yield body, inner

    def _declare(self, part: SyntaxPart, scope: LexicalScope) -> None:
        match part.type:
            case "lexical_declaration" | "variable_declaration":
                for declarator in part.parts:
                    if "name" in declarator.fields:
                        self._bind(
                            declarator.field("name"), scope, is_var=part.type == "variable_declaration"
                        )
            case "for_in_statement" if "var" in part.words:
                self._bind(part.field("left"), scope, is_var=True)
            case "function_declaration":
                scope.declare_function(part.field("name").text)
                self._bound.add(part.field("name"))
            case "assignment_expression":
                self._targets.update(names(part.field("left")))
                self._bound.update(names(part.field("left")))
            case "augmented_assignment_expression" | "for_in_statement":
                self._targets.update(names(part.field("left")))

    def _bind(self, pattern: SyntaxPart, scope: LexicalScope, *, is_var: bool) -> None:
        for name in names(pattern):
            self._bound.add(name)
            if is_var:
                scope.declare_var(name.text)
            else:
                scope.declare(name.text)


def _is_uncertain(name: str, scope: LexicalScope) -> bool:
    owner = scope.owner(name)
    if owner is None or name in owner.certain:
        return False
    return name in _LANGUAGE or (owner.parent is not None and owner.parent.find(name) is not None)


def names(pattern: SyntaxPart) -> Iterator[SyntaxPart]:
    """Yield the names that a pattern binds."""
    stack = [pattern]
    while stack:
        part = stack.pop()
        match part.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                yield part
            case "assignment_pattern" | "object_assignment_pattern":
                stack.append(part.field("left"))
            case "pair_pattern":
                stack.append(part.field("value"))
            case "array_pattern" | "object_pattern" | "rest_pattern" | "formal_parameters":
                stack.extend(part.parts)
            case "array" | "object" | "parenthesized_expression":
                stack.extend(part.parts)
