"""Objects with a `__hash__` and a `__eq__` of the program's own choice.

Where a cache or a table of the library has classes for keys (those of `typing`, or the handlers of a legend
of matplotlib), looking such an object up hands its `__eq__` the class whose hash it pretends to have.
"""

from __future__ import annotations

import ast

from engine.analysis.verdict.python.meanings import OWN, Meanings
from engine.analysis.verdict.python.scopes import NameScope, ScopeKind, Scopes

_HASHES = frozenset({"frozen", "unsafe_hash"})
"""Keywords of `dataclass` that give a class a hash of its fields."""
_UNCACHED = frozenset(
    f"typing.{name}"
    for name in ("Any", "NewType", "ParamSpec", "TYPE_CHECKING", "TypeVar", "cast", "final", "overload")
)
"""What of `typing` looks nothing up in a cache."""
_TYPES = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Subscript, ast.Tuple, ast.List, ast.Starred),
    *(ast.BinOp, ast.BitOr, ast.expr_context),
)


def may_collide(scopes: Scopes, meanings: Meanings) -> bool:
    """Return whether an object of the program may choose its hash, and then be handed what has the same."""
    classes = [(node, one) for node, one in scopes.by_node.items() if one.kind is ScopeKind.CLASS]
    comparing = [(node, one) for node, one in classes if "__eq__" in one.names]
    hashed = any("__hash__" in one.names or _is_hashed(node) for node, one in classes)
    return bool(comparing) and (hashed or any(_is_tuple(meanings, node, one) for node, one in comparing))


def _is_tuple(meanings: Meanings, node: ast.AST, scope: NameScope) -> bool:
    """Return whether a class keeps the hash of a tuple beside its own `__eq__`."""
    around = scope.parent or scope
    return any(
        meanings.of_entry(base, around).path == "typing.NamedTuple" for base in getattr(node, "bases", ())
    )


def _is_hashed(node: ast.AST) -> bool:
    calls = [one for one in getattr(node, "decorator_list", ()) if isinstance(one, ast.Call)]
    return any(word.arg in _HASHES for call in calls for word in call.keywords)


def has_cache(path: str) -> bool:
    """Return whether brackets behind a name of the library look something up in a cache."""
    return path.startswith("typing.") and path not in _UNCACHED


def names_only_classes(meanings: Meanings, node: ast.expr, scope: NameScope) -> bool:
    """Return whether an annotation certainly holds classes and texts, and no object of the program."""
    return all(
        isinstance(part, _TYPES)
        and (not isinstance(part, ast.Name | ast.Attribute) or meanings.of_entry(part, scope) != OWN)
        for part in ast.walk(node)
    )
