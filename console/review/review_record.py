"""Records what was displayed of a submission, for how long, and how its violations were resolved."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from console.review.reading.files import FileReading
from console.safety.text import Part
from engine.common.review_coverage import (
    CoverageGaps,
    coverage_gaps,
    line_ranges,
    line_times,
    requires_full_review,
)
from engine.common.text import many
from engine.models import Case, Level, ReviewRecord, ShownBy, Triage, TriageOutcome

TITLES = {
    TriageOutcome.ACCEPTED: "accepted",
    TriageOutcome.MITIGATED: "mitigated",
    TriageOutcome.FALSE_POSITIVE: "false positive",
}

_SHOWN = {ShownBy.STATED: "stated, not displayed by Pratique", ShownBy.AUTHOR: "by its author, in Explore"}


class ReviewRecorder:
    """Grows while a submission is displayed; `record` is what a decision carries."""

    def __init__(self, case: Case, shown_by: ShownBy = ShownBy.CONSOLE) -> None:
        self.case = case
        self.shown_by = shown_by
        self.seconds = 0.0
        self.lines: set[int] = set()
        self.violations: set[int] = set()
        self.file_reading = FileReading()
        """What was displayed of the input files."""
        self.line_seconds: defaultdict[int, float] = defaultdict(float)
        """For how long each line of the code was on screen."""
        self.purpose = False
        self.carried_from = ""
        """The revised submission of which the same reviewer had unchanged parts on screen."""
        self.outcomes: dict[int, TriageOutcome] = {}
        self._gaps_at: tuple[tuple[int, ...], CoverageGaps] | None = None

    def update(self, case: Case) -> None:
        """Take over what a rehearsal has added to the case: its violations are at the end."""
        if case is not self.case:
            self.case, self._gaps_at = case, None

    @property
    def record(self) -> ReviewRecord:
        """What was displayed so far."""
        return ReviewRecord(
            seconds=round(self.seconds, 1),
            lines=line_ranges(self.lines),
            times=line_times(self.line_seconds),
            violations=tuple(sorted(self.violations)),
            files=tuple(sorted(self.file_reading.whole)),
            profiles=tuple(sorted(self.file_reading.profiled - self.file_reading.whole)),
            purpose=self.purpose,
            carried_from=self.carried_from,
            shown_by=self.shown_by,
            triage=tuple(
                Triage(violation=number, outcome=made) for number, made in sorted(self.outcomes.items())
            ),
        )

    def add_times(self, seconds: Mapping[int, float]) -> None:
        """Add for how long lines were on screen."""
        for line, more in seconds.items():
            self.line_seconds[line] += more

    def carry(self, earlier: ReviewRecord | None) -> None:
        """Take over what the reviewer had on screen of the revised submission, and what did not change."""
        if earlier is not None:
            self.lines |= {line for first, last in earlier.lines for line in range(first, last + 1)}
            self.file_reading.whole |= set(earlier.files)
            self.purpose |= earlier.purpose
            self.carried_from = earlier.carried_from

    @property
    def coverage_gaps(self) -> CoverageGaps:
        """What is missing: lines of code; for HIGH and CRITICAL everything else, too."""
        grown = (
            len(self.lines),
            len(self.violations),
            len(self.file_reading.known),
            len(self.outcomes),
            self.purpose,
        )
        if self._gaps_at is None or self._gaps_at[0] != grown:
            gaps = coverage_gaps(self.case, self.record)
            self._gaps_at = (
                grown,
                gaps if requires_full_review(self.case) else CoverageGaps(lines=gaps.lines),
            )
        return self._gaps_at[1]

    def next_untriaged(self, after: int) -> int | None:
        """Return the violation of HIGH or more without an outcome, the next one after `after`."""
        left = self.coverage_gaps.untriaged
        return next((number for number in left if number > after), left[0] if left else None)

    def needs_triage(self, number: int) -> bool:
        """Say whether a violation needs an outcome: HIGH or CRITICAL."""
        violations = self.case.analysis.violations
        return number < len(violations) and violations[number].severity.rank >= Level.HIGH.rank


def unread_parts(coverage_gaps: CoverageGaps, case: Case) -> list[Part]:
    """Return what has to be reviewed before an approval, and the keys that lead there."""
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
        parts += [("space", "bold accent"), (" next unread: ", "muted"), (_listed(see), "warning")]
    if coverage_gaps.untriaged:
        parts += [("; " if see else "", "muted"), ("a m x", "bold accent"), (" resolve ", "muted"),
                  (many(len(coverage_gaps.untriaged), "violation"), "warning")]  # fmt: skip
    return parts


def review_record_line(review_record: ReviewRecord) -> str:
    """Return in one line for how long what was displayed, and how violations were resolved."""
    lines = sum(last - first + 1 for first, last in review_record.lines)
    made = Counter(TITLES[each.outcome] for each in review_record.triage)
    parts = [
        f"{review_record.seconds:g} s",
        *(
            [f"each line {min(one[2] for one in review_record.times):g} s or more"]
            if review_record.times
            else []
        ),
        many(lines, "line"),
        *([many(len(review_record.violations), "violation")] if review_record.violations else []),
        *([many(len(review_record.files), "input file")] if review_record.files else []),
        *([many(len(review_record.profiles), "file profile")] if review_record.profiles else []),
        *(f"{count} {title}" for title, count in made.items()),
        *([_SHOWN[review_record.shown_by]] if review_record.shown_by in _SHOWN else []),
    ]
    return ", ".join(parts)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
