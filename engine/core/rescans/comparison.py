"""What today's analysis and policy say of a submission, beside what was said of it. Pure."""

from __future__ import annotations

from engine.models import Analysis, Assessment, Case, Verdict
from engine.models.rescan import RescanOutcome

_DISTANCE = {Verdict.HARMLESS: 0, Verdict.UNPROVEN: 1, Verdict.VIOLATIONS: 2}


def outcome(case: Case, analysis: Analysis, assessment: Assessment) -> RescanOutcome:
    """Return how a new analysis and assessment differ from those of a case: the risk counts first."""
    before, now = _gravity(case.analysis, case.assessment), _gravity(analysis, assessment)
    if now != before:
        return RescanOutcome.WORSE if now > before else RescanOutcome.BETTER
    return RescanOutcome.SAME if rules(analysis) == rules(case.analysis) else RescanOutcome.CHANGED


def rules(analysis: Analysis) -> frozenset[str]:
    """Return the rules that found something."""
    return frozenset(violation.rule for violation in analysis.violations)


def _gravity(analysis: Analysis, assessment: Assessment) -> tuple[int, int]:
    return assessment.risk.rank, _DISTANCE[analysis.verdict]
