"""The analyser of text, whatever the language."""

from __future__ import annotations

from engine.analysis.findings import Findings
from engine.models import Language

__all__ = ["analyse_text"]


def analyse_text(source: str, language: Language) -> Findings:
    """Return what is wrong with the characters of `source`."""
    return Findings()
