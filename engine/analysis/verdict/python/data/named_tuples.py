"""Named tuples beside libraries that act on the attributes of objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.analysis.verdict.python.data.attributes import passes_for_library


def names_fields(call: ast.Call, libraries: frozenset[str]) -> bool:
    """Return whether a call of `namedtuple` spells its fields out, and none passes for one of a library."""
    if not libraries:
        return True
    fields = call.args[1] if len(call.args) == 2 else None
    parts = fields.elts if isinstance(fields, ast.Tuple | ast.List) else [fields]
    return all(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in parts) and not any(
        passes_for_library(word, libraries) for part in parts for word in _words(part)
    )


def _words(part: ast.expr | None) -> Iterator[str]:
    if isinstance(part, ast.Constant) and isinstance(part.value, str):
        yield from part.value.replace(",", " ").split()
