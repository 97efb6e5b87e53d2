"""Checks of the text in any language: what is hidden from the reader."""

from __future__ import annotations

from engine.analysis.positions import Lines
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.text import (
    characters,
    hosts,
    instructions,
    joined,
    layout,
    names,
    payloads,
    readings,
    right_to_left,
)
from engine.analysis.text.prose import Prose
from engine.models import Language

__all__ = ["analyse_text"]


def analyse_text(source: str, language: Language) -> RawAnalysis:
    """Return what is wrong with the characters of `source`, and with their positions."""
    lines, prose = Lines(source), Prose(source, language)
    misread = list(readings.check(source, lines, language))
    return RawAnalysis(
        [
            *misread,
            *characters.check(source, lines, language, prose),
            *joined.check(source, lines, prose),
            *right_to_left.check(source, lines, language, prose),
            *names.check(source, lines, prose),
            *layout.check(source, lines, language),
            *instructions.check(source, lines),
            *hosts.check(source, lines),
            *payloads.check(source, lines, language),
        ],
        complete=not misread,
    )
