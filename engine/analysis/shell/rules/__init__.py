"""The rules of shell, one module for each theme.

To add a rule, declare it with `rule(...)` in the module of its theme, and yield its violations from
`check` in the same module. A new module is added to `_THEMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.analysis.declare import rules_in
from engine.analysis.shell.model import Script
from engine.analysis.shell.rules import (
    capture,
    data_loss,
    destruction,
    downloads,
    embedded_code,
    evasion,
    execution,
    nested_commands,
    network,
    obfuscation,
    persistence,
    privileges,
    processes,
    reconnaissance,
    reverse_shells,
    secrets,
    shutdown,
    syntax,
    tampering,
    test_results,
    uploads,
)
from engine.models import Violation

_THEMES = (
    syntax, execution, nested_commands, downloads, uploads, network, reverse_shells, destruction, shutdown,
    data_loss, persistence, privileges, evasion, tampering, test_results, secrets, capture,
    reconnaissance, obfuscation, processes,
)  # fmt: skip

CHECKS: tuple[Callable[[Script], Iterator[Violation]], ...] = tuple(module.check for module in _THEMES)
RULES = rules_in(*_THEMES, embedded_code)
