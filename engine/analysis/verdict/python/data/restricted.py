"""All functions and methods that are safe in some ways only, by the libraries that a program imports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine.analysis.verdict.python.data import pictures, signatures
from engine.analysis.verdict.python.data.signatures import RestrictedCall

FUNCTIONS: Mapping[str, RestrictedCall] = MappingProxyType({**signatures.FUNCTIONS, **pictures.FUNCTIONS})
"""Functions that are called directly, by their full names."""
BY_LIBRARY: Mapping[str, Mapping[str, RestrictedCall]] = MappingProxyType(
    {"numpy": signatures.ARRAYS, "pandas": signatures.METHODS, "matplotlib": pictures.METHODS}
)
"""Methods that are called directly where a library is imported, whatever they belong to."""
_PANDAS_AND_MATPLOTLIB = frozenset({"pandas", "matplotlib"})


@cache
def methods(libraries: frozenset[str]) -> Mapping[str, RestrictedCall]:
    """Return the restricted methods of a program that imports these libraries."""
    known = [table for library, table in BY_LIBRARY.items() if library in libraries]
    found = {name: one for table in known for name, one in table.items()}
    if libraries >= _PANDAS_AND_MATPLOTLIB:
        del found["colorbar"]  # it stores a method of its own under a label of what passes for a picture
    return MappingProxyType(found)
