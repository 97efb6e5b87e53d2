"""Parts of the library that are not safe beside what a program defines, or beside another library."""

from __future__ import annotations

import ast
from collections.abc import Set

from engine.analysis.verdict.python.attributes import leads_out
from engine.analysis.verdict.python.scopes import Scopes

_RATIO = frozenset({"as_integer_ratio", "denominator", "numerator"})
SPLIT = "split"
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef)


class Hazards:
    """What a program defines that parts of the library act on."""

    def __init__(self, scopes: Scopes, own: Set[str], libraries: Set[str]) -> None:
        self._has_ratio = not _RATIO.isdisjoint(own)
        self._names_methods = "pandas" in libraries or any(_is_reserved(node) for node in scopes.by_node)
        self.splits = SPLIT in own
        """Whether an own `split` may be handed the classes of exceptions that a group of them is split by."""

    def problem(self, path: str) -> str | None:
        """Return why a name of the library is not proven here; None where it is."""
        if path.startswith("statistics.") and self._has_ratio:
            return f"`{path}` calls the type of an object that has a ratio of its own"
        if path == "copy.copy" and self._names_methods:
            return "`copy` takes the attribute of an object that a method is named by"
        return None


def _is_reserved(node: ast.AST) -> bool:
    """Return whether a function or a class has the name of an attribute that leads out of a program."""
    return isinstance(node, _DEFINITIONS) and leads_out(node.name)
