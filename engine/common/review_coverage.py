"""Review coverage: what of a submission was not displayed to its reviewer yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.common.presentation import is_file_write, text_to_review
from engine.models import Case, Level, ReviewRecord

LineRange = tuple[int, int]
"""The first and the last line of a stretch, counted from 1."""

MOST_TIMES = 100
"""Stretches of lines whose times a record has at most: longer code has coarser ones."""


@dataclass(frozen=True)
class CoverageGaps:
    """What is missing before a submission can be approved; empty if nothing is."""

    lines: tuple[LineRange, ...] = ()
    violations: tuple[int, ...] = ()
    """Violations that were not on screen, by their place in the analysis, counted from 0."""
    untriaged: tuple[int, ...] = ()
    """Violations of HIGH or more without triage."""
    files: tuple[int, ...] = ()
    """Input files that were not on screen, by their place in the draft, counted from 0."""
    purpose: bool = False
    """The agent's purpose was not on screen."""

    def __bool__(self) -> bool:
        return bool(self.lines or self.violations or self.untriaged or self.files or self.purpose)

    @property
    def line_count(self) -> int:
        """How many lines were not on screen."""
        return sum(last - first + 1 for first, last in self.lines)


def requires_full_review(case: Case) -> bool:
    """Return whether a case must be reviewed completely before it is approved: HIGH and CRITICAL must."""
    return case.assessment.risk.rank >= Level.HIGH.rank


def coverage_gaps(case: Case, review_record: ReviewRecord) -> CoverageGaps:
    """Return what of a case was not displayed."""
    draft, violations = case.submission.draft, case.analysis.violations
    shown, settled = set(review_record.violations), {disposed.violation for disposed in review_record.triage}
    shown_files = {*review_record.files, *review_record.profiles}
    return CoverageGaps(
        lines=tuple(_missing(review_record.lines, line_count(text_to_review(draft).text))),
        violations=tuple(number for number in range(len(violations)) if number not in shown),
        untriaged=tuple(
            number
            for number, violation in enumerate(violations)
            if violation.severity.rank >= Level.HIGH.rank and number not in settled
        ),
        files=()
        if is_file_write(draft)
        else tuple(number for number in range(len(draft.files)) if number not in shown_files),
        purpose=bool(draft.purpose.text) and not review_record.purpose,
    )


def line_count(code: str) -> int:
    """Return how many lines code has, as the interpreters count: `\\n` alone ends one."""
    return code.count("\n") + (not code.endswith("\n"))


def line_ranges(lines: Iterable[int]) -> tuple[LineRange, ...]:
    """Return line numbers as stretches of neighbours."""
    found: list[LineRange] = []
    for line in sorted(lines):
        if found and line <= found[-1][1] + 1:
            found[-1] = (found[-1][0], line)
        else:
            found.append((line, line))
    return tuple(found)


def line_times(seconds: Mapping[int, float]) -> tuple[tuple[int, int, float], ...]:
    """Return for how long lines were on screen: stretches, and the seconds that each of their lines had."""
    if not seconds:
        return ()
    last = max(seconds)
    size = -(-last // MOST_TIMES)
    found: list[tuple[int, int, float]] = []
    for first in range(1, last + 1, size):
        end = min(first + size - 1, last)
        least = round(min(seconds.get(line, 0.0) for line in range(first, end + 1)), 1)
        if found and found[-1][1] == first - 1 and found[-1][2] == least:
            found[-1] = (found[-1][0], end, least)
        elif least:
            found.append((first, end, least))
    return tuple(found)


def _missing(review_record: Iterable[LineRange], count: int) -> Iterator[LineRange]:
    wanted = 1
    for first, last in sorted(review_record):
        if first > wanted:
            yield wanted, min(first - 1, count)
        wanted = max(wanted, last + 1)
        if wanted > count:
            return
    if wanted <= count:
        yield wanted, count
