"""A person's own code: what runs by the key that submits it, and the record of that decision."""

from __future__ import annotations

from engine.common.presentation import text_to_review
from engine.common.review_coverage import line_count
from engine.models import Case, Level, Permissions, ReviewRecord, ShownBy, Triage, TriageOutcome

GRAVE = Level.HIGH.rank


def grave_violations(case: Case) -> tuple[int, ...]:
    """Return the violations of HIGH or more, by their place in the analysis."""
    return tuple(
        number for number, each in enumerate(case.analysis.violations) if each.severity.rank >= GRAVE
    )


def runs_at_once(case: Case) -> bool:
    """Return whether its author's key is enough: nothing grave, all of it analysed, nothing requested.

    Anything else is shown once more, with what it would do, before it runs.
    """
    asked = case.submission.draft.permissions.with_inputs((), session=False).without_session()
    return asked == Permissions() and case.analysis.complete and not grave_violations(case)


def author_record(case: Case, seconds: float) -> ReviewRecord:
    """Return the record of an author who read their own code, and accepts what is grave in it."""
    draft = case.submission.draft
    return ReviewRecord(
        seconds=round(seconds, 1),
        lines=((1, line_count(text_to_review(draft).text)),),
        violations=tuple(range(len(case.analysis.violations))),
        files=tuple(range(len(draft.files))),
        purpose=bool(draft.purpose.text),
        shown_by=ShownBy.AUTHOR,
        triage=tuple(
            Triage(violation=number, outcome=TriageOutcome.ACCEPTED) for number in grave_violations(case)
        ),
    )
