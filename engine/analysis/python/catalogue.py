"""All rules of Python, from the modules that declare them."""

from __future__ import annotations

from engine.analysis.declare import rules_in
from engine.analysis.python import allowlist, gadgets, literals, module_imports, sinks
from engine.analysis.python.evaluate import lookups
from engine.analysis.python.loops import loops, recursion
from engine.analysis.python.loops import resources as allocations
from engine.analysis.python.parse import lexical, unparsed
from engine.analysis.python.rules import (
    execution,
    files,
    network,
    objects,
    private,
    processes,
    reading,
    resources,
)
from engine.analysis.python.sinks import paths

RULES = rules_in(
    execution, files, network, objects, private, processes, reading, resources,
    allowlist, gadgets, literals, module_imports, lookups, paths,
    loops, recursion, allocations, lexical, unparsed,
    *(getattr(sinks, name) for name in sinks.__all__),
)  # fmt: skip
