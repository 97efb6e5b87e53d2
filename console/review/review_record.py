"""What a reviewer had on screen of one submission, for how long, and what they made of its violations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from console.safety.text import Part
from engine.common.review_coverage import CoverageGaps, coverage_gaps, line_ranges, requires_full_review
from engine.common.text import many
from engine.models import Case, Level, ReviewRecord, Triage, TriageOutcome

TITLES = {
    TriageOutcome.ACCEPTED: "accepted",
    TriageOutcome.MITIGATED: "mitigated",
    TriageOutcome.FALSE_POSITIVE: "false positive",
}


class ReviewRecorder:
    """Grows while a submission is looked at; `record` is what a decision carries."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.seconds = 0.0
        self.lines: set[int] = set()
        self.violations: set[int] = set()
        self.files: set[int] = set()
        self.file_lines: dict[int, frozenset[int]] = {}
        """The lines of input files that were on screen, by the place of the file."""
        self.purpose = False
        self.settled: dict[int, TriageOutcome] = {}
        self._told: tuple[tuple[int, ...], CoverageGaps] | None = None

    @property
    def record(self) -> ReviewRecord:
        """What was on screen so far."""
        return ReviewRecord(
            seconds=round(self.seconds, 1),
            lines=line_ranges(self.lines),
            violations=tuple(sorted(self.violations)),
            files=tuple(sorted(self.files)),
            purpose=self.purpose,
            triage=tuple(
                Triage(violation=number, outcome=made) for number, made in sorted(self.settled.items())
            ),
        )

    @property
    def coverage_gaps(self) -> CoverageGaps:
        """What is still missing: every line of all code, and all the rest of what is HIGH or CRITICAL."""
        grown = (len(self.lines), len(self.violations), len(self.files), len(self.settled), self.purpose)
        if self._told is None or self._told[0] != grown:
            missing = coverage_gaps(self.case, self.record)
            self._told = (
                grown,
                missing if requires_full_review(self.case) else CoverageGaps(lines=missing.lines),
            )
        return self._told[1]

    def next_untriaged(self, after: int) -> int | None:
        """Return the violation of HIGH or more that waits to be disposed of, the next one after `after`."""
        left = self.coverage_gaps.untriaged
        return next((number for number in left if number > after), left[0] if left else None)

    def needs_triage(self, number: int) -> bool:
        """Say whether a violation is one that is disposed of."""
        violations = self.case.analysis.violations
        return number < len(violations) and violations[number].severity.rank >= Level.HIGH.rank


def missing(coverage_gaps: CoverageGaps, case: Case) -> list[Part]:
    """Return in a few words what stands between a submission and its approval, and the keys that lead on."""
    files = [case.submission.draft.files[number].name for number in coverage_gaps.files]
    see = [
        *(
            [f"{many(coverage_gaps.line_count, 'line')} from {coverage_gaps.lines[0][0]}"]
            if coverage_gaps.lines
            else []
        ),
        *([many(len(coverage_gaps.violations), "violation")] if coverage_gaps.violations else []),
        *([many(len(files), "input file")] if files else []),
        *(["the purpose"] if coverage_gaps.purpose else []),
    ]
    parts: list[Part] = []
    if see:
        parts += [("space", "bold accent"), (" reads on: ", "muted"), (_listed(see), "warning")]
    if coverage_gaps.untriaged:
        parts += [("; " if see else "", "muted"), ("a m x", "bold accent"), (" settle ", "muted"),
                  (many(len(coverage_gaps.untriaged), "violation"), "warning")]  # fmt: skip
    return parts


def looked(review_record: ReviewRecord) -> str:
    """Return in one line for how long somebody looked, at what, and what they made of the violations."""
    lines = sum(last - first + 1 for first, last in review_record.lines)
    made = Counter(TITLES[each.outcome] for each in review_record.triage)
    parts = [
        f"{review_record.seconds:g} s",
        many(lines, "line"),
        *([many(len(review_record.violations), "violation")] if review_record.violations else []),
        *([many(len(review_record.files), "input file")] if review_record.files else []),
        *(f"{count} {title}" for title, count in made.items()),
    ]
    return ", ".join(parts)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
