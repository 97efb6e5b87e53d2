"""Handlers for calls of known names. Importing this package registers all of them."""

from __future__ import annotations

from engine.analysis.python.sinks import (
    archives,
    callables,
    environment,
    evaluated_text,
    execution,
    files,
    folding,
    interpreter,
    lint,
    memory,
    names,
    native,
    network,
    objects,
    pathlike,
    pools,
    processes,
    sockets,
    texts,
    watching,
)

__all__ = [
    "archives",
    "callables",
    "environment",
    "evaluated_text",
    "execution",
    "files",
    "folding",
    "interpreter",
    "lint",
    "memory",
    "names",
    "native",
    "network",
    "objects",
    "pathlike",
    "pools",
    "processes",
    "sockets",
    "texts",
    "watching",
]
