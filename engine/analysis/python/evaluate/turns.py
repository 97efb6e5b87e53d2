"""The turns of a loop that are looked into: one, and one for each known element where that may tell more."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis.python.evaluate.evaluator import Evaluator
from engine.analysis.python.evaluate.targets import elements
from engine.analysis.python.evaluate.values import PythonValue, is_callable


def turns(evaluator: Evaluator, value: PythonValue | None) -> Iterator[PythonValue | None]:
    """Yield what the target is bound to in each turn of a loop over `value`."""
    first, *others = elements(value)
    touched = evaluator.relevant
    yield first
    matters = evaluator.relevant > touched
    for other in others:
        if evaluator.steps > 0 and (matters or is_callable(other)):
            evaluator.steps -= _STEPS
            yield other


_STEPS = 20
"""What one more turn costs of the budget."""
