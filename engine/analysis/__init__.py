"""Code -> Analysis. Pure functions: no I/O, no clock.

`analyse` is imported with all languages when it is first used: an engine leaves it to its workers.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.analysis.analysis import analyse

__all__ = ["analyse"]


def __getattr__(name: str) -> Any:
    """Return a public name from the module that has it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("engine.analysis.analysis"), name)
