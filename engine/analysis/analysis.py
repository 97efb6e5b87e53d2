"""The whole analysis of a code: what its language, its text and extensions find, and its verdict."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Set
from contextlib import contextmanager
from functools import partial

from engine.analysis.extension import Extension, extensions
from engine.analysis.grouping import grouped, merged_effects
from engine.analysis.javascript import grammar
from engine.analysis.languages import analyser
from engine.analysis.limits import guarded, readable
from engine.analysis.python.parse.source import forget_trees
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.text import analyse_text
from engine.analysis.verdict import judge
from engine.models import Analysis, Language
from engine.settings import AnalysisSettings

_DEFAULT = AnalysisSettings()


def analyse(
    source: str | bytes,
    language: Language,
    settings: AnalysisSettings = _DEFAULT,
    inputs: Set[str] = frozenset(),
) -> Analysis:
    """Return the violations, effects and verdict of `source`. Never raises: what is not analysed is HIGH.

    `inputs` has the names of the input files that are granted with it.
    """
    with _uncollected():
        try:
            return _analysed(source, language, settings, inputs)
        finally:
            forget_trees()
            grammar.forget_trees()


def _analysed(
    source: str | bytes, language: Language, settings: AnalysisSettings, inputs: Set[str]
) -> Analysis:
    text, unreadable = readable(source, settings)
    found = RawAnalysis(list(unreadable), complete=not unreadable)
    found.add(guarded(lambda: analyser(language)(text, settings, 0), f"The {language} analysis"))
    found.add(guarded(lambda: analyse_text(text, language), "The text analysis"))
    for extension in extensions():
        if language in extension.rule.languages:
            found.add(guarded(partial(_extended, extension, text, language), f"Rule {extension.rule.id}"))
    analysis = Analysis(
        violations=grouped(found.violations, settings.severities),
        effects=merged_effects(found.effects),
        complete=found.complete,
    )
    return judge(analysis, text, language, inputs)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the collector from walking, again and again, the trees that are being read."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _extended(extension: Extension, text: str, language: Language) -> RawAnalysis:
    return RawAnalysis(list(extension.check(text, language)))
