"""Named tuples beside libraries that act on the attributes of objects."""

from __future__ import annotations

import ast

from engine.analysis.verdict.python.data.attributes import passes_for_library


def names_fields(call: ast.Call, libraries: frozenset[str]) -> bool:
    """Return whether a call of `namedtuple` spells its fields out, and none passes for one of a library."""
    if not libraries:
        return True
    texts = _texts(call)
    words = [word for text in texts or () for word in text.replace(",", " ").split()]
    return texts is not None and not any(passes_for_library(word, libraries) for word in words)


def _texts(call: ast.Call) -> list[str] | None:
    """Return the texts that name the fields; None where one of them is computed."""
    match call.args:
        case [_, ast.Constant(value=str(text))]:
            return [text]
        case [_, ast.Tuple(elts=parts) | ast.List(elts=parts)]:
            values = [part.value if isinstance(part, ast.Constant) else None for part in parts]
            texts = [value for value in values if isinstance(value, str)]
            return texts if len(texts) == len(values) else None
    return None
