"""What a program may hold, wherever: collected over and over until nothing is added."""

from __future__ import annotations

from engine.analysis.syntax import Tree
from engine.analysis.verdict.javascript.kinds import (
    ACCESSOR,
    ANYTHING,
    CALLABLE,
    DATA,
    FUNCTION,
    INHERITED,
    LISTED,
    NATIVE,
    NUMBER,
    PLAIN,
    SHARED,
    TEXT,
)
from engine.analysis.verdict.javascript.names import CALLED_BY, RESERVED
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart, Variable
from engine.common.text import Untrusted
from engine.models import Span, Unproven

_NUMBERS = frozenset({"NaN", "Infinity", "true", "false", "null", "undefined"})
_CALLED_WITH_VALUES = frozenset({"then", "next", "return", "throw"})
"""Methods that the language itself calls with functions, or with what others send."""
_CALLED_BY_ITSELF = _CALLED_WITH_VALUES | frozenset(
    {
        *("set", "add", "toJSON", "toISOString", "toString", "toLocaleString", "valueOf", "join"),
        *("exec", "resolve"),
    }
)
"""Methods that the language calls by itself."""


class Flow:
    """The kinds of what is in objects, and the places that are not proven."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.heap = DATA
        """What elements of any object may be, and what callers that are not known pass."""
        self.properties: dict[str, int] = {}
        """What is written to each property by name, beside the heap."""
        self.setters: set[str] = set()
        self.wild_prototypes = False
        """Whether a key that is not known may have made a function the prototype of an object."""
        self.unknown_names = False
        """Whether an object may have a property whose name is not known, and which is no number."""
        self.unknown_methods = False
        """Whether an object may have a function of the program under a name that is not known."""
        self.promises = False
        """Whether there are promises, which pass functions of the language to `then`."""
        self.functions_have_methods = False
        """Whether a function may be stored in a property of a function, and be called with it as `this`."""
        self.extends_listed = False
        """Whether a class extends one of the language, whose methods make objects by `constructor`."""
        self.takes_changing = False
        """Whether a method that changes what it belongs to may be a value."""
        self.uses_arguments = False
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
        if name in self.setters or name == "value" or _is_element(name):
            self._grow_heap(kind)
        if kind & ACCESSOR and name in _CALLED_WITH_VALUES:
            self.mark("wild_prototypes")
        if kind & (INHERITED | NATIVE) and name in _CALLED_BY_ITSELF:
            self.call_inherited(part)
            self._grow_heap(ACCESSOR)
        if name == "then" and kind & CALLABLE and self.promises:
            self._grow_heap(LISTED)

    def store_element(self, key: int, kind: int, part: SyntaxPart) -> None:
        """Put a value under a key of this kind."""
        if key & ~NUMBER:
            self.store_unnamed(kind, part)
        self.store(kind, part)
        if key & ~NUMBER and kind & CALLABLE:
            self.mark("wild_prototypes")

    def store_unnamed(self, kind: int, part: SyntaxPart) -> None:
        """Put a value into a new property whose name is not known."""
        self.store(kind, part)
        if kind & ~NUMBER:
            self.mark("unknown_names")
        if kind & ACCESSOR:
            self.mark("wild_prototypes")
        if kind & (INHERITED | NATIVE):  # under `exec`, the language calls it, and returns what it gives
            self._grow_heap(ACCESSOR)
        if kind & CALLABLE:
            self.mark("unknown_methods")
            self._grow_heap(LISTED if self.promises else 0)

    def call_inherited(self, part: SyntaxPart) -> None:
        """Note that a function is called that an unknown key reached: it may define any property."""
        self.spill()
        self.store_unnamed(FUNCTION | TEXT, part)

    def mark(self, fact: str) -> None:
        """Note a fact about the whole program."""
        if not getattr(self, fact):
            setattr(self, fact, True)
            self.changed = True

    def spill(self) -> None:
        """All named properties may be taken as elements."""
        for kind in list(self.properties.values()):
            self._grow_heap(kind)

    def is_own(self, name: str) -> bool:
        """Return whether a method of this name may be, or may call, a function that the program put there."""
        called = (name, *CALLED_BY.get(name, ()))
        return self.unknown_methods or any(self.properties.get(one, 0) & CALLABLE for one in called)

    def property(self, name: str) -> int:
        """Return what a property of this name may be, beside what the language has there."""
        return self.heap | self.properties.get(name, 0)

    def size(self, name: str) -> int:
        """Return what a property of the language that is a number may be."""
        written = self.properties.get(name, 0) & ~NUMBER
        return NUMBER if not written and not self.unknown_names else self.property(name)

    def elements(self) -> int:
        """Return what iterating gives: what iterators of the program return as `value` is there, too."""
        return self.heap

    def inherited(self, owner: int, key: int) -> int:
        """Return what `owner[key]` may be."""
        if not key & ~NUMBER:
            return self.heap
        from_functions = owner & (FUNCTION | SHARED) or self.wild_prototypes
        if from_functions:
            return self.heap | ANYTHING
        found = self.heap
        for kind in self.properties.values():
            found |= kind
        return found | _reached(owner)

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

    def escape(self, function: OwnFunction, *, leaks: bool = True) -> None:
        """Let anybody call a function, and (`leaks`) keep what it returns."""
        if not function.escaped or leaks > function.leaks:
            function.escaped = True
            function.leaks |= leaks
            self.changed = True

    def check_name(self, part: SyntaxPart, name: str) -> bool:
        """Return whether a property may be used, and record it if not."""
        if name in RESERVED:
            self.refuse(part, f"the property `{name}` is not on the list")
        return name not in RESERVED


def _is_element(name: str) -> bool:
    """Return whether a name is the text of a number, or of something else that counts as one for a key."""
    return name[:1] in {*"-.0123456789"} or name in _NUMBERS


def _reached(owner: int) -> int:
    return (INHERITED if owner & PLAIN else 0) | (NATIVE if owner & ~PLAIN else 0)
