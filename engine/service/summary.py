"""One line about a case."""

from __future__ import annotations

from engine.models import Case, Level, Summary
from engine.text import Untrusted


def summarise(case: Case) -> Summary:
    """Return the line that stands for a case in queues and histories."""
    submission, decision, result = case.submission, case.decision, case.result
    code = submission.draft.code.text
    return Summary(
        id=submission.id,
        digest=submission.digest,
        status=case.status,
        risk=case.assessment.risk,
        language=submission.draft.language,
        requester=submission.requester.name,
        first_line=Untrusted(_first_line(code)),
        lines=code.count("\n") + (not code.endswith("\n")),
        violations=sum(violation.severity is not Level.LOW for violation in case.analysis.violations),
        submitted_at=submission.submitted_at,
        deadline=case.deadline,
        reviewer=decision.by.name if decision else Untrusted(""),
        kill_reason=result.kill_reason if result else None,
        exit_code=result.exit_code if result else None,
        duration=result.duration if result else None,
        memory_peak=result.memory_peak if result else None,
    )


def _first_line(code: str) -> str:
    lines = (line.strip() for line in code[:10_000].split("\n"))
    return next((line for line in lines if line), "")[:200]
