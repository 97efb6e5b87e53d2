"""Groups repeated violations into one, and sorts everything by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.analysis.rule import explained
from engine.models import Level, PredictedEffect, Span, Violation

MAX_RELATED = 200
"""How many other places one violation lists."""

_Key = tuple[str, str, Level, tuple[str, ...]]


def grouped(violations: Iterable[Violation], severities: Mapping[str, Level]) -> tuple[Violation, ...]:
    """Return the violations with the severities of the settings, one for each construct, by position."""
    groups: dict[_Key, list[Violation]] = {}
    for violation in violations:
        severity = severities.get(violation.rule, violation.severity)
        key = (violation.rule, violation.message.text, severity, violation.layers)
        groups.setdefault(key, []).append(violation)
    merged = [_merged(group, key[2]) for key, group in groups.items()]
    return tuple(sorted(merged, key=lambda v: (*_order(v.span), -v.severity.rank, v.rule)))


def _merged(group: list[Violation], severity: Level) -> Violation:
    if len(group) == 1:
        first = group[0]
        return (
            first
            if first.severity is severity
            else first.with_severity(severity, explained(first.why, severity), first.related)
        )
    group.sort(key=lambda violation: _order(violation.span))
    first = group[0]
    others = {span for violation in group for span in (violation.span, *violation.related)} - {first.span}
    related = tuple(sorted(others, key=_order)[:MAX_RELATED])
    return first.with_severity(severity, explained(first.why, severity), related)


def _order(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


def merged_effects(effects: Iterable[PredictedEffect]) -> tuple[PredictedEffect, ...]:
    """Return one predicted effect for each kind and value, with all lines that say so."""
    groups: dict[tuple[str, str, str], list[PredictedEffect]] = {}
    for effect in effects:
        key = (effect.kind, effect.value.text, effect.certainty)
        groups.setdefault(key, []).append(effect)
    return tuple(_with_all_lines(group) for _, group in sorted(groups.items()))


def _with_all_lines(group: list[PredictedEffect]) -> PredictedEffect:
    if len(group) == 1:
        return group[0]
    lines = tuple(sorted({line for effect in group for line in effect.lines}))
    return group[0].at_lines(lines)
