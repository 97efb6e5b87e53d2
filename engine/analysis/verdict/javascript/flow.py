"""What a program may hold, wherever: collected over and over until nothing is added."""

from __future__ import annotations

from engine.analysis.syntax import Tree
from engine.analysis.verdict.javascript.kinds import (
    ANYTHING,
    CALLABLE,
    DATA,
    NUMBER,
    TEXT,
)
from engine.analysis.verdict.javascript.property_names import CALLED_BY, RESERVED
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart, Variable
from engine.common.text import Untrusted
from engine.models import Span, Unproven

_NUMBERS = frozenset({"NaN", "Infinity", "true", "false", "null", "undefined"})


class Flow:
    """The kinds of what is in objects, and the places that are not proven."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.heap = DATA
        """What elements of any object may be, and what callers that are not known pass."""
        self.properties: dict[str, int] = {}
        """What is written to each property by name, beside the heap."""
        self.unknown_names = False
        """Whether an object may have a property whose name is not known, and which is no number."""
        self.changed = False
        self.problems: dict[tuple[Span, str], None] = {}

    def refuse(self, part: SyntaxPart, reason: str) -> int:
        """Record that a place is not proven."""
        self.problems[self.tree.span_of(part.start, part.end), reason] = None
        return ANYTHING

    def unproven(self) -> tuple[Unproven, ...]:
        """Return what was refused, in the order of the code."""
        found = sorted(self.problems, key=lambda one: (one[0].line, one[0].column, one[1]))
        return tuple(Unproven(span=span, reason=Untrusted(reason)) for span, reason in found)

    # --- what is put into objects ---

    def store(self, kind: int, part: SyntaxPart) -> None:
        """Put a value where anybody may take it from."""
        if kind & ANYTHING:
            self.refuse(part, "this may be any function of the language, and is passed on")
        self._grow_heap(kind & ~ANYTHING)

    def _grow_heap(self, kind: int) -> None:
        if kind & ~self.heap:
            self.heap |= kind
            self.changed = True

    def store_property(self, name: str, kind: int, part: SyntaxPart) -> None:
        """Put a value into a property of this name."""
        if kind & ANYTHING:
            self.refuse(part, "this may be any function of the language, and is stored")
        kind &= ~ANYTHING
        if kind & ~self.properties.get(name, 0):
            self.properties[name] = self.properties.get(name, 0) | kind
            self.changed = True
        if name == "value" or _is_element(name):
            self._grow_heap(kind)

    def store_element(self, key: int, kind: int, part: SyntaxPart) -> None:
        """Put a value under a key of this kind."""
        if key & ~NUMBER:
            self.store_unnamed(kind, part)
        else:
            self.store(kind, part)

    def store_unnamed(self, kind: int, part: SyntaxPart) -> None:
        """Put a value into a property whose name is not known: as `__proto__` it may be a prototype."""
        if kind & ~(NUMBER | TEXT):
            self.refuse(part, "this may become the prototype of an object, under a name that is not known")
        self.define_unnamed(kind, part)

    def define_unnamed(self, kind: int, part: SyntaxPart) -> None:
        """Make a property whose name is not known, as `{ [key]: value }` does: never a prototype."""
        if kind & CALLABLE:
            self.refuse(part, "this may be a function under a name that is not known")
        self.store(kind, part)
        if kind & ~NUMBER:
            self.mark_unknown_names()

    def mark_unknown_names(self) -> None:
        """Note that an object may have a property whose name is not known, and which is no number."""
        self.changed |= not self.unknown_names
        self.unknown_names = True

    def spill(self) -> None:
        """All named properties may be taken as elements."""
        for kind in self.properties.values():
            self._grow_heap(kind)

    # --- what is taken from objects ---

    def is_own(self, name: str) -> bool:
        """Return whether a method of this name may be, or may call, a function that the program put there."""
        called = (name, *CALLED_BY.get(name, ()))
        return any(self.properties.get(one, 0) & CALLABLE for one in called)

    def property(self, name: str) -> int:
        """Return what a property of this name may be, beside what the language has there."""
        return self.heap | self.properties.get(name, 0)

    def size(self, name: str) -> int:
        """Return what a property of the language that is a number may be."""
        written = self.properties.get(name, 0) & ~NUMBER
        return NUMBER if not written and not self.unknown_names else self.property(name)

    def element(self, key: int) -> int:
        """Return what `x[key]` may be: what the language has there, unless the key is a number."""
        return self.heap | ANYTHING if key & ~NUMBER else self.heap

    # --- variables and functions ---

    def assign(self, variable: Variable, kind: int, function: OwnFunction | None) -> None:
        """Let a variable hold a value."""
        if function is not None and function not in variable.functions:
            variable.functions.add(function)
            function.variables.add(variable)
            self.changed = True
        others = function is None and bool(kind & ~(NUMBER | TEXT))
        if kind & ~variable.kind or others > variable.others:
            variable.kind |= kind
            variable.others |= others
            self.changed = True
        if variable.others:
            for one in variable.functions:
                self.escape(one)

    def escape(self, function: OwnFunction) -> None:
        """Let anybody call a function, and keep what it returns."""
        if not (function.escaped and function.leaks):
            function.escaped = function.leaks = self.changed = True

    def check_name(self, part: SyntaxPart, name: str) -> bool:
        """Return whether a property may be used, and record it if not."""
        if name in RESERVED:
            self.refuse(part, f"the property `{name}` is not on the list")
        return name not in RESERVED


def _is_element(name: str) -> bool:
    """Return whether a name is the text of a number, or of something else that counts as one for a key."""
    return name[:1] in {*"-.0123456789"} or name in _NUMBERS
