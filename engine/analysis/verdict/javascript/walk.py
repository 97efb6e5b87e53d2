"""One walk over a program: what each expression may be, and where each function is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.analysis.verdict.javascript.flow import Flow
from engine.analysis.verdict.javascript.kinds import FUNCTION
from engine.analysis.verdict.javascript.tree import OwnFunction, SyntaxPart

MOST_PLACES = 50
"""How many places that are not proven are reported."""


class Walk:
    """The walk's place: the function that it is in."""

    def __init__(
        self,
        flow: Flow,
        handlers: Mapping[str, Callable[[Walk, SyntaxPart], int]],
        define: Callable[[Walk, SyntaxPart], int],
    ) -> None:
        self.flow = flow
        self.function: OwnFunction | None = None
        self._handlers = handlers
        self._define = define

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
        self._define(self, part)
        return FUNCTION, found
