"""How others add rules: an entry point of the group `pratique.rules` that names an `Extension`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points

from engine.analysis.rule import Rule
from engine.models import Language, Violation

GROUP = "pratique.rules"


@dataclass(frozen=True, slots=True)
class Extension:
    """A rule from outside, and the pure function that finds it."""

    rule: Rule
    check: Callable[[str, Language], Iterable[Violation]]
    """Source and its language -> violations, made with `rule.violation(span, message)`."""


@cache
def extensions() -> tuple[Extension, ...]:
    """Return the installed extensions. Raises TypeError where an entry point names something else."""
    return tuple(_loaded(point.name, point.load()) for point in entry_points(group=GROUP))


def _loaded(name: str, value: object) -> Extension:
    if not isinstance(value, Extension):
        raise TypeError(f"entry point {name!r} of group {GROUP} is no engine.analysis.extension.Extension")
    return value
