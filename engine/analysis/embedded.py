"""Analyses code within code in its own language, and maps the results to positions in the outer code."""

from __future__ import annotations

from collections.abc import Callable

from engine.analysis.languages import analyser
from engine.analysis.limits import LAYERS, guarded
from engine.analysis.raw_analysis import RawAnalysis
from engine.models import Evidence, Language, PredictedEffect, Span, Violation
from engine.settings import AnalysisSettings

MAX_DEPTH = 5
"""How many layers are unpacked."""

Place = Callable[[Span], Span]
"""Turns a span of embedded code into a span of the code around it."""


def at(span: Span) -> Place:
    """Return positions of embedded code that differs from its literal: the span of the literal."""
    return lambda _: span


def from_point(line: int, column: int) -> Place:
    """Return positions of embedded code that is copied character by character from `line` and `column` on."""

    def place(span: Span) -> Span:
        return Span(
            line=span.line + line - 1,
            column=span.column + (column - 1 if span.line == 1 else 0),
            end_line=span.end_line + line - 1,
            end_column=span.end_column + (column - 1 if span.end_line == 1 else 0),
        )

    return place


def analyse_embedded(
    source: str, language: Language, settings: AnalysisSettings, depth: int, *, place: Place, layer: str
) -> RawAnalysis:
    """Analyse `source`, found in code at `depth`, and return what it says with spans of the code around it.

    `layer` names what was decoded (`base64`, `exec`, `shell`).
    """
    if depth >= MAX_DEPTH:
        start = place(Span(line=1, column=1, end_line=1, end_column=1))
        return RawAnalysis([LAYERS.violation(start, f"More than {MAX_DEPTH} layers")], complete=False)
    found = guarded(lambda: analyser(language)(source, settings, depth + 1), f"The {language} analysis")
    return RawAnalysis(
        [_placed(violation, place, layer) for violation in found.violations],
        [_placed_effect(effect, place) for effect in found.effects],
        found.complete,
    )


def _placed(violation: Violation, place: Place, layer: str) -> Violation:
    moved = violation.moved(
        span=place(violation.span),
        related=tuple(place(span) for span in violation.related),
        evidence=tuple(Evidence(span=place(e.span), text=e.text) for e in violation.evidence),
        message=violation.message,
    )
    return moved.within((layer,))


def _placed_effect(effect: PredictedEffect, place: Place) -> PredictedEffect:
    lines = {place(Span(line=n, column=1, end_line=n, end_column=1)).line for n in effect.lines}
    return effect.at_lines(tuple(sorted(lines)))
