"""The analyser of shell."""

from __future__ import annotations

from engine.analysis.findings import Findings
from engine.settings import AnalysisSettings

__all__ = ["analyse_shell"]


def analyse_shell(source: str, settings: AnalysisSettings, depth: int) -> Findings:
    """Return what the shell in `source` does."""
    return Findings()
