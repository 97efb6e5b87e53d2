"""Printing all of a submission, and the record of it that an approval by command line carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.cli.output.formatting import dim, print_case, print_line
from engine.common.errors import Problem
from engine.common.presentation import is_file_write, text_to_review
from engine.common.review_coverage import coverage_gaps, line_count
from engine.common.text import many, visible
from engine.models import Case, InputFile, ReviewRecord, Triage, TriageOutcome, Violation

PRINTED_BYTES = 512 * 1024
"""Of a larger input file the beginning is printed, and it does not count as read."""

TRIAGE_HINT = "Write NUMBER=accepted, mitigated or false-positive, or all=accepted."


def print_submission(case: Case) -> None:
    """Print all of a submission: what it asks for, its violations, code and input files."""
    draft = case.submission.draft
    print_case(case)
    print_line()
    _print_lines(text_to_review(draft).text)
    for file in () if is_file_write(draft) else draft.files:
        _print_file(file)


def printed_record(case: Case, settled: Iterable[str] = ()) -> ReviewRecord:
    """Return the record of what `say_all` printed, and of what the reviewer made of the violations.

    It holds no time: nobody knows for how long the lines were looked at.

    Raises:
        Problem: what is settled is no violation of HIGH or more.
    """
    draft, violations = case.submission.draft, case.analysis.violations
    return ReviewRecord(
        seconds=0,
        lines=((1, line_count(text_to_review(draft).text)),),
        violations=tuple(range(len(violations))),
        files=() if is_file_write(draft) else tuple(_whole(draft.files)),
        purpose=bool(draft.purpose),
        triage=tuple(
            Triage(violation=number, outcome=made) for number, made in sorted(_triaged(case, settled).items())
        ),
    )


def print_untriaged(case: Case, review_record: ReviewRecord) -> None:
    """Print which violations are still to be settled, each with its number."""
    for number in coverage_gaps(case, review_record).untriaged:
        print_line(dim(f"to settle: {_named(number, case.analysis.violations[number])}"))


def _triaged(case: Case, words: Iterable[str]) -> dict[int, TriageOutcome]:
    to_settle = coverage_gaps(case, ReviewRecord(seconds=0)).untriaged
    found: dict[int, TriageOutcome] = {}
    for word in words:
        name, _, value = word.partition("=")
        numbers = [number for number in to_settle if name in {"all", str(number + 1)}]
        made = next((each for each in TriageOutcome if each.value == value), None)
        if made is None or not (numbers or name == "all"):
            raise Problem(422, f"{visible(word)} settles no violation of HIGH or more", hint=TRIAGE_HINT)
        found |= dict.fromkeys(numbers, made)
    return found


def _named(number: int, violation: Violation) -> str:
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
