"""What a rehearsal that convicts changes in a case: a violation, and the level with its reason. Pure."""

from __future__ import annotations

from engine.common.rehearsal_lines import finding_line
from engine.common.text import Untrusted
from engine.models import Case, Confidence, Evidence, Level, RuleMatch, Span, Violation
from engine.models.rehearsal import REHEARSAL_RULE, FindingKind, Rehearsal, RehearsalFinding

_MOST = 8
_CWE = {FindingKind.LEAK: 200, FindingKind.CONTROLLED: 94}
_ATTACKS = {
    FindingKind.LEAK: "It would send real credentials to this host.",
    FindingKind.DESTROYED: "It would delete or overwrite the files of whoever runs it.",
    FindingKind.CONTROLLED: "Whoever controls that host would control this program.",
}


def with_proof(case: Case, rehearsal: Rehearsal) -> Case:
    """Return the case with a CRITICAL violation for each thing that the code was seen to do."""
    known = {violation.message for violation in case.analysis.violations}
    found = [_violation(case, rehearsal, one) for one in _convicting(rehearsal)]
    fresh = [violation for violation in found if violation.message not in known]
    if not fresh:
        return case
    matches = tuple(RuleMatch(rule=REHEARSAL_RULE, level=Level.CRITICAL, reason=one.message) for one in fresh)
    return case.with_proof(case.analysis.with_violations(tuple(fresh)), case.assessment.raised(matches))


def _convicting(rehearsal: Rehearsal) -> list[RehearsalFinding]:
    return [one for one in rehearsal.findings if one.convicts][:_MOST]


def _violation(case: Case, rehearsal: Rehearsal, finding: RehearsalFinding) -> Violation:
    span = _span(case, finding.where.text.rpartition(" ")[2])
    sent = next((one for one in rehearsal.contacts if one.number == finding.contact), None)
    shown = [Evidence(span=span, text=Untrusted(sent.excerpt.text[:200]))] if sent and sent.excerpt else []
    return Violation(
        rule=REHEARSAL_RULE,
        severity=Level.CRITICAL,
        confidence=Confidence.HIGH,
        category="rehearsal",
        span=span,
        message=Untrusted(finding_line(finding)),
        attack=_ATTACKS.get(finding.kind, ""),
        why="It was seen to do so, in a rehearsal with decoys.",
        fix="Deny it, unless you know why it does that.",
        cwe=_CWE.get(finding.kind),
        evidence=tuple(shown),
    )


def _span(case: Case, word: str) -> Span:
    """Return where the code names a host, or its first line."""
    name = word.partition(":")[0]
    for number, line in enumerate(case.submission.draft.code.text.split("\n"), 1):
        at = line.find(name) if name else -1
        if at >= 0:
            end = at + len(name) + 1
            return Span(line=number, column=at + 1, end_line=number, end_column=end)
    return Span(line=1, column=1, end_line=1, end_column=1)
