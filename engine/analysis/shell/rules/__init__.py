"""The rules of shell, one module for each theme.

To add a rule, declare it with `rule(...)` in the module of its theme, and yield its violations from
`check` in the same module. A new module is added to `_THEMES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.analysis.declare import rules_in
from engine.analysis.shell.model import Script
from engine.analysis.shell.rules import (
    alteration,
    capture,
    carried,
    destruction,
    disguise,
    downloads,
    evasion,
    execution,
    inner,
    losses,
    network,
    persistence,
    privileges,
    processes,
    reverse,
    secrets,
    shutdown,
    survey,
    syntax,
    uploads,
)
from engine.models import Violation

_THEMES = (
    syntax, execution, carried, downloads, uploads, network, reverse, destruction, shutdown, losses,
    persistence, privileges, evasion, alteration, secrets, capture, survey, disguise, processes,
)  # fmt: skip

CHECKS: tuple[Callable[[Script], Iterator[Violation]], ...] = tuple(module.check for module in _THEMES)
RULES = rules_in(*_THEMES, inner)
