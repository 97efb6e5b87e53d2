"""JavaScript analysis: names are resolved, constants folded, then every call is checked."""

from __future__ import annotations

from itertools import islice

from engine.analysis import limits
from engine.analysis.javascript import embedded_code, readings
from engine.analysis.javascript.effects import effects
from engine.analysis.javascript.reader import read
from engine.analysis.javascript.resolver import MAX_STEPS
from engine.analysis.javascript.rules import CHECKS
from engine.analysis.javascript.rules.syntax import SYNTAX
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.text.readings import MOST_PLACES
from engine.models import Span
from engine.settings import AnalysisSettings

__all__ = ["analyse_javascript"]

_START = Span(line=1, column=1, end_line=1, end_column=1)


def analyse_javascript(source: str, settings: AnalysisSettings, depth: int) -> RawAnalysis:
    """Return the violations and effects of the JavaScript in `source`."""
    program = read(source, settings, depth)
    findings = RawAnalysis()
    for check in CHECKS:
        findings.violations.extend(check(program))
    findings.complete = not any(violation.rule == SYNTAX.id for violation in findings.violations)
    if misread := list(islice(readings.check(program.tree, program.names), MOST_PLACES)):
        findings.violations.extend(misread)
        findings.complete = False
    findings.add(embedded_code.check(program))
    findings.effects.extend(effects(program))
    resolver = program.resolver
    if program.names.cut or resolver.deep or resolver.steps > MAX_STEPS:
        findings.violations.append(limits.TOO_DEEP.violation(_START, "Too much code to analyse"))
        findings.complete = False
    program.names.forget()
    return findings
