"""Text output: plain lines, control characters of agent text made visible, colour only on terminals."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import typer
from pydantic import BaseModel

from engine.common.presentation import describe_evidence, verdict_text
from engine.common.text import Untrusted, many, visible
from engine.models import (
    Analysis,
    Case,
    Consequence,
    DecisionOutcome,
    Draft,
    Erasure,
    Level,
    LineComment,
    OutputChunk,
    Package,
    Result,
    Status,
    Stream,
    Summary,
    Verdict,
    Violation,
)

COLOURS = {
    Level.LOW: typer.colors.BLUE,
    Level.MEDIUM: typer.colors.YELLOW,
    Level.HIGH: typer.colors.MAGENTA,
    Level.CRITICAL: typer.colors.RED,
}

_COLOUR = re.compile("(\x1b\\[(?:[0-2]|3[1-6]|9[1-6])m)")
"""What `typer.style` writes for the colours here, bold, dim and their end; none hides text."""
COLUMNS = 80
"""Maximum width of wrapped text."""


def print_line(text: str = "", *, error: bool = False) -> None:
    """Print a line, and in it nothing but text, line ends and the colours of this module."""
    typer.echo(displayed(text), err=error, color=_colour())


def displayed(text: str) -> str:
    """Return text with everything but the repertoire, line ends, tabs and simple colours as marks."""
    pieces = _COLOUR.split(text)
    pieces[::2] = [visible(piece, keep="\n\t") for piece in pieces[::2]]
    return "".join(pieces)


def wrap(text: str, indent: int = 0) -> str:
    """Return trusted text wrapped at 80 columns, with a hanging indent."""
    return textwrap.fill(
        text, COLUMNS, subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )


def print_json(value: BaseModel | Sequence[BaseModel]) -> None:
    """Print a model as JSON, or several, one per line; control characters are escaped."""
    for one in value if isinstance(value, Sequence) else (value,):
        print_line(one.model_dump_json(ensure_ascii=True))


def level(value: Level) -> str:
    """Return a level as a coloured word of fixed width."""
    return typer.style(f"{value.value.upper():<8}", fg=COLOURS[value], bold=True)


def dim(text: str) -> str:
    """Return text in a dim style."""
    return typer.style(text, dim=True)


def print_case(case: Case) -> None:
    """Print the summary of a case: risk, requester, requested permissions and violations."""
    submission = case.submission
    draft = submission.draft
    lines = many(draft.code.text.count("\n") + (not draft.code.text.endswith("\n")), "line")
    print_line(f"{level(case.assessment.risk)} {submission.id}  {draft.language}, {lines}, {_status(case)}")
    print_line(wrap(f"         from {visible(submission.requester.name)}{_purpose(draft.purpose)}", 9))
    for line in request_lines(draft):
        print_line(wrap(f"         {line}", 11))
    if case.decision:
        print_comments(case.decision.comments)
    print_violations(case.analysis.violations)
    print_verdict(case.analysis)
    print_line(dim(f"         digest {submission.digest}"))


def print_comments(comments: Iterable[LineComment]) -> None:
    """Print what a reviewer wants changed, each comment with its number, its lines and its suggestion."""
    for number, comment in enumerate(comments, 1):
        lines = f"{comment.first}-{comment.last}" if comment.last > comment.first else f"{comment.first}"
        where = f"{visible(comment.file)}:{lines}" if comment.file else f"line {lines}"
        print_line(f"  {number}. {where}: {visible(comment.text, keep=chr(10))}")
        for line in comment.suggestion.text.splitlines():
            print_line(f"     > {visible(line)}")


def request_lines(draft: Draft) -> list[str]:
    """Return everything that a draft requests, one line per kind."""
    asked, operation = draft.permissions, draft.operation
    kinds = {
        "operation": f"{operation.kind} {visible(operation.path)}" if operation else "",
        "executable": "yes" if operation and operation.executable else "",
        "domains": _listed(asked.domains),
        "packages": ", ".join(_package(one) for one in asked.packages),
        "secrets": _listed(asked.secrets),
        "builds": _listed(asked.builds),
        "limits": ", ".join(f"{name}={value:g}" for name, value in asked.limits),
        "session": f"keeps its state {draft.session}".strip() if asked.session or draft.session else "",
        "files": ", ".join(f"{visible(one.name)} ({_size(len(one.content))})" for one in draft.files),
        "image": draft.image,
        "expect": draft.expect.value,
        "assertion": visible(draft.verify),
    }
    return [f"{kind}: {text}" for kind, text in kinds.items() if text]


def _listed(names: Iterable[Untrusted]) -> str:
    return ", ".join(visible(name) for name in names)


def _package(one: Package) -> str:
    where = f" from {visible(one.registry)}" if one.registry else ""
    place = f" in {visible(one.place)}" if one.place else ""
    hashes = "".join(f" {visible(hash_)[:19]}…" for hash_ in one.hashes)
    return f"{visible(one.name)}=={visible(one.version)}{place}{where}{hashes}"


def _size(count: int) -> str:
    return many(count, "byte") if count < 10_000 else f"{count / 1000:,.0f} kB"


def print_violations(violations: Iterable[Violation]) -> None:
    """Print violations, one line each, with their positions."""
    for violation in violations:
        place = f"{violation.span.line}:{violation.span.column}"
        rule = dim(f"[{violation.rule}]")
        print_line(f"  {place:>6} {level(violation.severity)} {visible(violation.message)} {rule}")


def print_verdict(analysis: Analysis) -> None:
    """Print the verdict, and the places that are not proven, one line each."""
    if analysis.verdict is not Verdict.VIOLATIONS:
        print_line(f"         {verdict_text(analysis)}")
        for one in analysis.unproven:
            place = f"{one.span.line}:{one.span.column}"
            print_line(f"  {place:>6} {'unproven':<8} {visible(one.reason)}")


def consequence_line(one: Consequence) -> str:
    """Return the effect of a permission that is not granted, in one line."""
    fail = "will fail" if one.certain else "may fail"
    lines = ", ".join(str(line) for line in one.lines)
    where = f"line{'s' if len(one.lines) > 1 else ''} {lines} {fail}" if lines else "no affected line found"
    return f"without {visible(one.permission)}: {where}"


def print_erasures(erased: Iterable[Erasure]) -> None:
    """Print what retention has erased, each kind once."""
    for line in dict.fromkeys(f"{_lost(one)}: {visible(one.rule)}" for one in erased):
        print_line(f"erased by retention: {line}; its digest is kept", error=True)


def _lost(one: Erasure) -> str:
    return "part of the output" if one.partly else f"{one.what} {visible(one.name)}".rstrip()


def print_summaries(summaries: Iterable[Summary]) -> None:
    """Print one aligned line for each submission."""
    for summary in summaries:
        left = _left(summary) if summary.status is Status.PENDING else summary.status.value
        who = visible(summary.requester)[:16]
        first = visible(summary.first_line)[:60]
        print_line(
            f"{level(summary.risk)} {summary.id}  {left:>9}  {summary.language:<10} {who:<16} "
            f"{many(summary.lines, 'line'):>10}  {many(summary.violations, 'violation'):>13}  {dim(first)}"
        )


def print_output(chunk: OutputChunk) -> None:
    """Print a chunk of guest output to the same stream, control characters made visible."""
    print_text(chunk.data.decode(errors="replace"), error=chunk.stream is Stream.STDERR)


def print_text(text: str, *, error: bool = False) -> None:
    """Print guest text, control characters made visible."""
    typer.echo(visible(text, keep="\n\t"), nl=False, err=error, color=_colour())


def result_line(result: Result) -> str:
    """Return the result of a run in one line."""
    cut = ", output truncated" if result.truncated else ""
    memory = f"peak memory {result.memory_peak / 2**20:.0f} MB"
    return f"{describe_evidence(result)}, {result.duration:.2f} s, {memory}{cut}"


def decided_line(case: Case) -> str:
    """Return what became of a submission that was decided, and of a drill what was in it."""
    return f"this was a drill. {visible(case.drill)}" if case.drill else case.status.value


def _status(case: Case) -> str:
    if case.decision is None:
        return decided_line(case)
    reason = f": {visible(case.decision.reason)}" if case.decision.reason else ""
    approved = ", approved" if case.decision.outcome is DecisionOutcome.APPROVED else ""
    return f"{case.status.value}{approved} by {visible(case.decision.by.name)}{reason}"


def _purpose(purpose: Untrusted) -> str:
    return f', purpose: "{visible(purpose)}"' if purpose else ""


def _left(summary: Summary) -> str:
    if summary.deadline is None:
        return "pending"
    return f"{max(0, (summary.deadline - datetime.now(UTC)).total_seconds()):.0f} s left"


def _colour() -> bool | None:
    """Return click's colour setting: False for none, None to decide by terminal."""
    return False if os.environ.get("NO_COLOR") or not sys.stdout.isatty() else None
