"""One walk over a program: what each expression may be, and where each function is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript.flow import Flow
from engine.analysis.verdict.javascript.kinds import FUNCTION, PLAIN
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart

MOST_PLACES = 50
"""How many places that are not proven are reported."""


class Walk:
    """The walk's place: the function it is in, whether that is strict, and what `this` may be."""

    def __init__(
        self, flow: Flow, handlers: Mapping[str, Callable[[Walk, SyntaxPart], int]], *, uses_this: bool
    ) -> None:
        self.flow = flow
        self.uses_this = uses_this
        """Whether the program mentions `this` at all."""
        self.function: OwnFunction | None = None
        self.strict = False
        self.this: int | None = PLAIN
        """What `this` may be; nothing where it may be the global object. Of the module: its exports."""
        self.has_arguments = False
        """Whether `arguments` are those of a function of the program, and not of the module."""
        self._handlers = handlers

    def kind(self, part: SyntaxPart) -> int:
        """Return what an expression may be; check it, or a statement."""
        if len(self.flow.problems) >= MOST_PLACES:
            return 0
        handler = self._handlers.get(part.type)
        if handler is None:
            return self.flow.refuse(part, f"`{part.type.replace('_', ' ')}` is not in the provable subset")
        return handler(self, part)

    def kinds(self, parts: list[SyntaxPart]) -> int:
        """Check several nodes, and return what they may be together."""
        found = 0
        for part in parts:
            found |= self.kind(part)
        return found

    def value(self, part: SyntaxPart, name: SyntaxPart | None = None) -> tuple[int, OwnFunction | None]:
        """Return what is given a name, and the function if one is written right there."""
        found = part.function
        if found is None:
            return self.kind(part), None
        if name is not None and name.variable is not None:
            found.variables.add(name.variable)
        self._handlers["define"](self, part)
        return FUNCTION, found

    def receiver(self) -> int:
        """Return what `this` may be in a strict function that is called as a method."""
        return self.flow.heap | PLAIN | (FUNCTION if self.flow.functions_have_methods else 0)

    def own_this(self) -> int | None:
        """Return what `this` may be in a function that is no arrow function."""
        return self.receiver() if self.strict else None
