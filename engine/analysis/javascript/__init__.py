"""The analyser of javascript."""

from __future__ import annotations

from engine.analysis.findings import Findings
from engine.settings import AnalysisSettings

__all__ = ["analyse_javascript"]


def analyse_javascript(source: str, settings: AnalysisSettings, depth: int) -> Findings:
    """Return what the javascript in `source` does."""
    return Findings()
