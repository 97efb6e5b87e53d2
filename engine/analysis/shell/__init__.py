"""Shell analysis: words are expanded as bash expands them, then every command is checked."""

from __future__ import annotations

from engine.analysis import limits
from engine.analysis.raw_analysis import RawAnalysis
from engine.analysis.shell import comments, hidden_substitutions, recovery
from engine.analysis.shell.effects import effects
from engine.analysis.shell.reader import read
from engine.analysis.shell.rules import CHECKS, embedded_code
from engine.analysis.shell.rules.syntax import SYNTAX
from engine.models import Span
from engine.settings import AnalysisSettings

__all__ = ["analyse_shell"]

_START = Span(line=1, column=1, end_line=1, end_column=1)


def analyse_shell(source: str, settings: AnalysisSettings, depth: int) -> RawAnalysis:
    """Return the violations and effects of the shell script in `source`."""
    script = read(source, settings, depth)
    findings = RawAnalysis()
    for check in CHECKS:
        findings.violations.extend(check(script))
    findings.complete = not any(violation.rule == SYNTAX.id for violation in findings.violations)
    if misread := list(comments.check(script)):
        findings.violations.extend(misread)
        findings.complete = False
    findings.add(embedded_code.check(script))
    findings.add(hidden_substitutions.check(script))
    _add_new(findings, recovery.check(script))
    findings.effects.extend(effects(script))
    if script.cut:
        findings.violations.append(limits.TOO_DEEP.violation(_START, "Too much code to analyse"))
        findings.complete = False
    return findings


def _add_new(findings: RawAnalysis, recovered: RawAnalysis) -> None:
    """Add what was recovered, but for what was found at the same place anyway."""
    known = {(violation.rule, violation.span) for violation in findings.violations}
    findings.violations.extend(
        violation for violation in recovered.violations if (violation.rule, violation.span) not in known
    )
    findings.effects.extend(recovered.effects)
