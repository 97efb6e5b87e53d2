"""Everything about a submission as plain lines: for screen readers, pipes and simple terminals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from console.review.grant_reduction import TITLES as LIMITS
from console.review.grant_reduction import Choice, LimitChoice, PermissionChoice, grant_choices
from console.safety.text import visible_text
from console.widgets.formatting import clock, lasted, now, size
from engine.common.presentation import describe_evidence, describe_result, text_to_review, verdict_text
from engine.common.text import many
from engine.models import (
    Analysis,
    Case,
    Draft,
    InputFile,
    PredictedEffect,
    Result,
    Status,
    Summary,
    Verdict,
    Violation,
)

SHOWN_BYTES = 512 * 1024
KINDS = {"domains": "domain", "packages": "package", "files": "input file", "secrets": "secret",
         "builds": "install scripts of", "session": "session"}  # fmt: skip


def summary(number: int, each: Summary) -> str:
    """Return one line about a submission."""
    return (
        f"{number}. {each.risk.value.upper()} {each.id}, {_status(each)}, {each.language.value}, "
        f"{_many(each.lines, 'line')}, {_many(each.violations, 'violation')}, "
        f"from {visible_text(each.requester)}: "
        f"{visible_text(each.first_line)}"
    )


def case(each: Case) -> Iterator[str]:
    """Return everything about a submission as lines; they say so where something is cut."""
    submission, draft = each.submission, each.submission.draft
    yield f"Submission {submission.id}, risk {each.assessment.risk.value.upper()}, {each.status.value}."
    yield f"From {visible_text(submission.requester.name)}, self-reported. Language: {draft.language.value}."
    yield from _purpose(draft)
    for match in each.assessment.matches:
        yield f"Risk {match.level.value.upper()} by rule {match.rule}: {visible_text(match.reason)}"
    yield from requested(each)
    yield from _violations(each.analysis.violations)
    yield from _verdict(each.analysis)
    yield from _effects(each.analysis.effects)
    if not each.analysis.complete:
        yield "The analysis is incomplete: parts of the code could not be analysed."
    yield from _code(draft)
    yield from _files(draft.files)
    yield from _ended(each)
    yield f"Digest {submission.digest}"


def requested(each: Case) -> Iterator[str]:
    """Return the requested permissions; those that can be reduced are numbered."""
    draft = each.submission.draft
    yield "Requested permissions:"
    for number, choice in enumerate(grant_choices(draft.permissions), 1):
        yield f"  {number}. {_choice(choice)}"
    if not draft.permissions.domains:
        yield "  no network"
    yield f"  image: {draft.image or 'the default of its language'}"
    if draft.session:
        yield f"  session: {visible_text(draft.session)}"
    if draft.operation is not None:
        path = f" of {visible_text(draft.operation.path)}" if draft.operation.path else ""
        executable = ", executable" if draft.operation.executable else ""
        yield f"  tool call: {draft.operation.kind.value}{path}{executable}"
    if draft.expect:
        yield f"  expected output: {draft.expect.value}"
    if draft.verify:
        yield f"  output assertion: {visible_text(draft.verify)}"


def result(each: Result) -> str:
    """Return the outcome of a run."""
    cut = "; the output was cut at its limit" if each.truncated else ""
    usage = f"after {lasted(each.duration)}, peak memory {size(each.memory_peak)}"
    return f"Ended: {describe_evidence(each)}, {usage}{cut}."


def _choice(choice: Choice) -> str:
    if isinstance(choice, PermissionChoice):
        return f"{KINDS[choice.kind]}: {visible_text(choice.title)}"
    return _limit(choice)


def _limit(limit: LimitChoice) -> str:
    title, unit = LIMITS[limit.name]
    return f"{title} ({limit.name}): at most {limit.requested:g} {unit}".rstrip()


def _purpose(draft: Draft) -> Iterator[str]:
    if draft.purpose.text:
        yield f'Purpose, self-reported: "{visible_text(draft.purpose)}"'
    else:
        yield "No purpose was given."


def _verdict(analysis: Analysis) -> Iterator[str]:
    if analysis.verdict is not Verdict.VIOLATIONS:
        yield f"{verdict_text(analysis)}."
    for one in analysis.unproven:
        yield f"  unproven at {one.span.line}:{one.span.column}: {visible_text(one.reason)}"


def _violations(violations: tuple[Violation, ...]) -> Iterator[str]:
    yield f"{_many(len(violations), 'violation')}{':' if violations else '.'}"
    for number, each in enumerate(violations, 1):
        at = each.span
        cwe = f", CWE-{each.cwe}" if each.cwe else ""
        yield (
            f"  {number}. {each.severity.value.upper()} on line {at.line}, column {at.column}: "
            f"{visible_text(each.message).removesuffix('.')}. Rule {each.rule}{cwe}."
        )
        for label, text in (("An attacker", each.attack), ("Why", each.why), ("Fix", each.fix)):
            if text:
                yield f"     {label}: {visible_text(text)}"
        for step in each.evidence:
            yield f"     Evidence on line {step.span.line}: {visible_text(step.text)}"


def _effects(effects: tuple[PredictedEffect, ...]) -> Iterator[str]:
    for each in effects:
        lines = ", ".join(str(line) for line in each.lines)
        what = visible_text(each.value)
        yield f"Predicted {each.kind.value}: {what}, {each.certainty.value}, by line {lines}."


def _code(draft: Draft) -> Iterator[str]:
    lines = text_to_review(draft).text.removesuffix("\n").split("\n")
    yield f"Code, {_many(len(lines), 'line')}:"
    for number, line in enumerate(lines, 1):
        yield f"{number:>5}  {visible_text(line, keep=chr(9))}"


def _files(files: Iterable[InputFile]) -> Iterator[str]:
    for each in files:
        cut = f", of which the first {size(SHOWN_BYTES)} are shown" if len(each.content) > SHOWN_BYTES else ""
        yield f"Input file {visible_text(each.name)}, {size(len(each.content))}{cut}:"
        text = each.content[:SHOWN_BYTES].decode("utf-8", "backslashreplace")
        for line in text.removesuffix("\n").split("\n"):
            yield f"       {visible_text(line, keep=chr(9))}"


def _ended(each: Case) -> Iterator[str]:
    if each.decision is not None:
        why = f": {visible_text(each.decision.reason)}" if each.decision.reason.text else "."
        yield f"Decided: {each.decision.outcome.value} by {visible_text(each.decision.by.name)}{why}"
    if each.result is not None:
        yield result(each.result)
        for artifact in each.result.artifacts:
            yield f"  artifact: {visible_text(artifact.name)}, {size(artifact.size)}"


def _status(each: Summary) -> str:
    """Return the status or the outcome of a submission."""
    if each.status is Status.PENDING:
        return f"pending, {_deadline(each)}"
    if each.status is Status.FINISHED:
        return f"finished with {describe_result(each)} after {lasted(each.duration)}"
    if each.status is Status.KILLED:
        return f"{describe_result(each)}, after {lasted(each.duration)}"
    return each.status.value


def _deadline(each: Summary) -> str:
    if each.deadline is None:
        return "without a deadline"
    return f"{clock((each.deadline - now()).total_seconds())} left"


def _many(count: int, thing: str) -> str:
    return many(count, thing) if count else f"no {thing}s"
