"""Checks of the text in any language: what is hidden from the reader."""

from __future__ import annotations

from engine.analysis.positions import Lines
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.text import characters, layout, names, readings
from engine.models import Language

__all__ = ["analyse_text"]


def analyse_text(source: str, language: Language) -> RawAnalysis:
    """Return what is wrong with the characters of `source`, and with their positions."""
    lines = Lines(source)
    misread = list(readings.check(source, lines, language))
    return RawAnalysis(
        [
            *misread,
            *characters.check(source, lines, language),
            *names.check(source, lines),
            *layout.check(source, lines, language),
        ],
        complete=not misread,
    )
