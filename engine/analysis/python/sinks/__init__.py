"""What calls of known names mean. Importing this package registers all of them."""

from __future__ import annotations

from engine.analysis.python.sinks import (
    environment,
    execution,
    files,
    folding,
    lint,
    memory,
    names,
    network,
    objects,
    processes,
    texts,
    watching,
)

__all__ = [
    "environment",
    "execution",
    "files",
    "folding",
    "lint",
    "memory",
    "names",
    "network",
    "objects",
    "processes",
    "texts",
    "watching",
]
