"""The rules of JavaScript, one module for each theme.

To add a rule, declare it with `rule(...)` in the module of its theme, and yield its violations from
`check` in the same module. A new module is added to `_THEMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.analysis.declare import rules_in
from engine.analysis.javascript.model import Program
from engine.analysis.javascript.rules import (
    execution,
    files,
    growth,
    indirect,
    network,
    obfuscation,
    objects,
    outgoing,
    recursion,
    resources,
    started,
    syntax,
    tampering,
)
from engine.models import Violation

_THEMES = (
    syntax, execution, files, network, objects, indirect, obfuscation, resources, growth, recursion,
    started, tampering, outgoing,
)  # fmt: skip

CHECKS: tuple[Callable[[Program], Iterator[Violation]], ...] = tuple(module.check for module in _THEMES)
RULES = rules_in(*_THEMES)
