"""Analyses the ordinary lines of code whose full analysis did not finish."""

from __future__ import annotations

import re

from engine.analysis.grouping import grouped, merged_effects
from engine.analysis.languages import analyser
from engine.analysis.limits import guarded, readable
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.text import analyse_text
from engine.models import Analysis, Language
from engine.settings import AnalysisSettings

_LINE_END = re.compile(r"\r\n|\r|\n")
MAX_LINE = 1000
"""Characters of a line that is still read."""
MAX_TEXT = 48_000
"""Characters that are still read."""


def analyse_part(source: str | bytes, language: Language, settings: AnalysisSettings) -> Analysis:
    """Return what the ordinary lines of `source` say, without those that no person would have written.

    Long lines are left out, and so is what is far below; positions do not change.
    """
    text = ordinary(readable(source, settings)[0])
    found = RawAnalysis(complete=False)
    found.add(guarded(lambda: analyser(language)(text, settings, 0), f"The {language} analysis"))
    found.add(guarded(lambda: analyse_text(text, language), "The text analysis"))
    return Analysis(
        violations=grouped(found.violations, settings.severities),
        effects=merged_effects(found.effects),
        complete=False,
    )


def ordinary(source: str) -> str:
    """Return the lines of the beginning of `source`, long ones empty."""
    lines = _LINE_END.split(source[: MAX_TEXT * 20])
    kept, size = [], 0
    for line in lines:
        kept.append(line if len(line) <= MAX_LINE else "")
        size += len(kept[-1]) + 1
        if size > MAX_TEXT:
            break
    return "\n".join(kept)
