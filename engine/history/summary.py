"""The summary of a case: one line of a list."""

from __future__ import annotations

from engine.common.presentation import headline
from engine.common.text import Untrusted
from engine.models import Case, Summary


def summary_of(case: Case) -> Summary:
    """Return the one line about a case."""
    submission, result = case.submission, case.result
    code = submission.draft.code.text
    decision = case.decision
    return Summary(
        id=submission.id,
        digest=submission.digest,
        status=case.status,
        risk=case.assessment.risk,
        language=submission.draft.language,
        requester=submission.requester.name,
        first_line=headline(submission.draft),
        lines=code.count("\n") + (not code.endswith("\n")),
        violations=len(case.analysis.violations),
        submitted_at=submission.submitted_at,
        deadline=case.deadline,
        reviewer=decision.by.name if decision else Untrusted(""),
        kill_reason=result.kill_reason if result else None,
        exit_code=result.exit_code if result else None,
        duration=result.duration if result else None,
        memory_peak=result.memory_peak if result else None,
    )
