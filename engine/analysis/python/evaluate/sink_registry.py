"""The tables in which sinks register, and in which calls look them up."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.values import PythonValue, taint_of, text_of


@dataclass(slots=True)
class PythonCall:
    """A call of something with a name."""

    node: ast.expr
    name: str
    args: list[PythonValue | None]
    keywords: dict[str, PythonValue | None]
    receiver: PythonValue | None = None
    """What a method was called on."""
    callee: PythonValue | None = None

    def arg(self, index: int, keyword: str = "") -> PythonValue | None:
        """Return an argument by position or keyword."""
        if index < len(self.args):
            return self.args[index]
        return self.keywords.get(keyword)

    def text(self, index: int, keyword: str = "") -> str | None:
        """Return an argument's constant text."""
        return text_of(self.arg(index, keyword))

    def has(self, index: int, keyword: str) -> bool:
        """Whether an argument was given."""
        return index < len(self.args) or keyword in self.keywords

    @property
    def taint(self) -> int:
        """All taints of all arguments."""
        return taint_of(*self.args, *self.keywords.values())


Handler = Callable[[Evaluator, PythonCall], PythonValue | None]

CALLS: dict[str, Handler] = {}
"""What a call of a qualified name does."""
PREFIXES: dict[str, Handler] = {}
"""What a call of anything in a module does, by the module's first name."""
METHODS: dict[str, Handler] = {}
"""What a method means whose object is unknown, by the method's name."""
ANY_OBJECT: dict[str, Handler] = {}
"""What a method means that no other table knows, of an object of any class, by the method's name."""
TEXT_METHODS: dict[str, Handler] = {}
"""What a method of a text or container means beyond its result, by the method's name."""
TOUCHING: set[str] = set()
"""Built-in functions whose use makes a function worth evaluating again with known arguments."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register a handler of calls by qualified name."""

    def register(handler: Handler) -> Handler:
        for name in names:
            CALLS[name] = handler
        return handler

    return register
