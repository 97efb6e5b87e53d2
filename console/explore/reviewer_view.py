"""What a reviewer would be told about the code in the editor, while it is typed."""

from __future__ import annotations

from console.review.requests import effect_parts
from console.safety.text import Part
from console.widgets.violation_badges import author_badge
from engine.common.presentation import verdict_text
from engine.common.text import many
from engine.models import Analysis, Verdict

MOST_EFFECTS = 8
"""More are counted."""


def verdict_parts(analysis: Analysis) -> list[Part]:
    """Return the gravest level and the verdict in one line."""
    if analysis.verdict is Verdict.HARMLESS:
        return [(verdict_text(analysis), "bold success")]
    gravest = max(analysis.violations, key=lambda each: each.severity.rank, default=None)
    level: list[Part] = [author_badge(gravest), "  "] if gravest else []
    incomplete = "" if analysis.complete else "  not completely analysed"
    return [*level, (verdict_text(analysis), "bold"), (incomplete, "warning")]


def effect_lines(analysis: Analysis) -> list[list[Part]]:
    """Return what the code would do outside itself, one line for each effect."""
    lines = [effect_parts(effect) for effect in analysis.effects[:MOST_EFFECTS]]
    if (hidden := len(analysis.effects) - MOST_EFFECTS) > 0:
        lines.append([(f" and {many(hidden, 'more effect')}", "faint")])
    return lines or [[(" No effect was found.", "muted")]]
