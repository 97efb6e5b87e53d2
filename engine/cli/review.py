"""Review in a terminal: display a submission, ask about its violations, and record how it was displayed."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterable

import typer

from engine.cli.output.full_view import print_submission, print_untriaged, printed_record, stated_record
from engine.common.errors import Problem
from engine.common.review_coverage import coverage_gaps, requires_full_review
from engine.common.text import visible
from engine.models import Case, ReviewRecord, TriageOutcome

OUTCOMES = ", ".join(outcome.value for outcome in TriageOutcome)
STATE = (
    "On a terminal Pratique displays it and asks. Elsewhere add --reviewed, if you have reviewed all of it: "
    "the decision then says that you state it."
)


def on_terminal() -> bool:
    """Return whether a person can read what is printed, and answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


async def review(case: Case, triaged: Iterable[str], *, reviewed: bool, quiet: bool) -> ReviewRecord:
    """Return the record of a review; on a terminal display the submission and ask whether to approve it.

    `reviewed` says that the reviewer states a review elsewhere; `quiet` that nothing is printed.

    Raises:
        Problem: it was neither displayed to a person nor stated to be reviewed, or the answer is no.
    """
    if not quiet:
        print_submission(case)
        print_untriaged(case, stated_record(case, triaged))
    if reviewed or not requires_full_review(case):
        return stated_record(case, triaged)
    if quiet or not on_terminal():
        raise Problem(409, "nobody was shown what is approved here", hint=STATE)
    began = time.monotonic()
    answers = [*triaged, *await _ask_about_violations(case, triaged)]
    if not await asyncio.to_thread(typer.confirm, "Approve what is printed above?"):
        raise Problem(409, f"{visible(case.submission.id)} was not approved")
    return printed_record(case, answers, time.monotonic() - began)


async def review_or_deny(case: Case) -> ReviewRecord | None:
    """Return the record of a review on a terminal; None where the reviewer typed no approval."""
    digest, began = case.submission.digest, time.monotonic()
    print_submission(case)
    typed = await asyncio.to_thread(typer.prompt, f'Run it? Type "{digest[:4]}" to approve', "deny")
    if typed != digest[:4]:
        return None
    return printed_record(case, await _ask_about_violations(case, ()), time.monotonic() - began)


async def _ask_about_violations(case: Case, triaged: Iterable[str]) -> list[str]:
    answers = []
    for number in coverage_gaps(case, stated_record(case, triaged)).untriaged:
        violation = case.analysis.violations[number]
        question = f"{number + 1}: {violation.rule} in line {violation.span.line} ({OUTCOMES})"
        answers.append(f"{number + 1}={await asyncio.to_thread(typer.prompt, question)}")
    return answers
