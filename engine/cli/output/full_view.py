"""Print a whole submission, and make the review record of what was printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.cli.output.formatting import dim, print_case, print_line
from engine.common.errors import Problem
from engine.common.presentation import is_file_write, text_to_review
from engine.common.review_coverage import coverage_gaps, line_count
from engine.common.text import many, visible
from engine.models import Case, InputFile, ReviewRecord, ShownBy, Triage, TriageOutcome, Violation

PRINTED_BYTES = 512 * 1024
"""Larger input files are truncated, and do not count as reviewed."""

TRIAGE_HINT = "Write NUMBER=accepted, mitigated or false-positive, or all=accepted."


def print_submission(case: Case) -> None:
    """Print a submission: requested permissions, violations, code and input files."""
    draft = case.submission.draft
    print_case(case)
    print_line()
    _print_lines(text_to_review(draft).text)
    for file in () if is_file_write(draft) else draft.files:
        _print_file(file)


def stated_record(case: Case, triaged: Iterable[str] = ()) -> ReviewRecord:
    """Return the record of a reviewer who states to have reviewed all of a submission, it is unknown how.

    Raises:
        Problem: a triage names no violation of HIGH or CRITICAL severity.
    """
    files = () if is_file_write(case.submission.draft) else tuple(range(len(case.submission.draft.files)))
    return _record(case, triaged, 0.0, files, ShownBy.STATED)


def printed_record(case: Case, triaged: Iterable[str] = (), seconds: float = 0.0) -> ReviewRecord:
    """Return the review record of what `print_submission` printed on a terminal, with the triage.

    `seconds` passed until the reviewer answered.

    Raises:
        Problem: a triage names no violation of HIGH or CRITICAL severity.
    """
    draft = case.submission.draft
    files = () if is_file_write(draft) else tuple(_whole(draft.files))
    return _record(case, triaged, seconds, files, ShownBy.TERMINAL)


def _record(
    case: Case, triaged: Iterable[str], seconds: float, files: tuple[int, ...], shown_by: ShownBy
) -> ReviewRecord:
    draft, violations = case.submission.draft, case.analysis.violations
    return ReviewRecord(
        seconds=round(seconds, 1),
        lines=((1, line_count(text_to_review(draft).text)),),
        violations=tuple(range(len(violations))),
        files=files,
        shown_by=shown_by,
        purpose=bool(draft.purpose),
        triage=tuple(
            Triage(violation=number, outcome=made) for number, made in sorted(_triaged(case, triaged).items())
        ),
    )


def print_untriaged(case: Case, review_record: ReviewRecord) -> None:
    """Print the violations that still need triage, with their numbers."""
    for number in coverage_gaps(case, review_record).untriaged:
        print_line(dim(f"needs triage: {_label(number, case.analysis.violations[number])}"))


def _triaged(case: Case, words: Iterable[str]) -> dict[int, TriageOutcome]:
    untriaged = coverage_gaps(case, ReviewRecord(seconds=0)).untriaged
    found: dict[int, TriageOutcome] = {}
    for word in words:
        name, _, value = word.partition("=")
        numbers = [number for number in untriaged if name in {"all", str(number + 1)}]
        made = next((each for each in TriageOutcome if each.value == value), None)
        if made is None or not (numbers or name == "all"):
            raise Problem(422, f"{visible(word)} matches no HIGH or CRITICAL violation", hint=TRIAGE_HINT)
        found |= dict.fromkeys(numbers, made)
    return found


def _label(number: int, violation: Violation) -> str:
    return f"{number + 1}: {violation.rule} in line {violation.span.line}"


def _whole(files: tuple[InputFile, ...]) -> Iterator[int]:
    return (number for number, file in enumerate(files) if len(file.content) <= PRINTED_BYTES)


def _print_file(file: InputFile) -> None:
    print_line()
    cut = len(file.content) > PRINTED_BYTES
    size = many(len(file.content), "byte")
    print_line(
        f"Input file {visible(file.name)}, {size}{', of which the beginning is shown' if cut else ''}:"
    )
    _print_lines(file.content[:PRINTED_BYTES].decode("utf-8", "backslashreplace"))


def _print_lines(text: str) -> None:
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        print_line(f"{number:>5} {visible(line, keep=chr(9))}")
