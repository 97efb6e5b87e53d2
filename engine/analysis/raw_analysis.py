"""What an analyser returns before it is grouped and sorted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from engine.models import PredictedEffect, Violation
from engine.settings import AnalysisSettings


@dataclass(slots=True)
class RawAnalysis:
    """Violations and effects in the order found; `complete` is False where something went unread."""

    violations: list[Violation] = field(default_factory=list)
    effects: list[PredictedEffect] = field(default_factory=list)
    complete: bool = True

    def add(self, other: RawAnalysis) -> None:
        """Take over everything that `other` found."""
        self.violations.extend(other.violations)
        self.effects.extend(other.effects)
        self.complete = self.complete and other.complete


Analyser = Callable[[str, AnalysisSettings, int], RawAnalysis]
"""An analyser of one language: source, settings and the depth of the layer (0 is what was submitted)."""
