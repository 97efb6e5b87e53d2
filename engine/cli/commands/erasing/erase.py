"""`pratique erase`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from engine.cli.client_context import with_client
from engine.cli.options.common import Json
from engine.cli.output.formatting import dim, print_json, print_line
from engine.common.errors import Problem
from engine.common.text import Untrusted, many, visible
from engine.models.erasing.erasure import ErasureReport, ErasureRequest


def erase(
    reason: Annotated[str, typer.Option(help="Why; it is recorded and stays.")],
    submission: Annotated[str, typer.Option(help="Erase this submission.")] = "",
    query: Annotated[str, typer.Option(help="Erase what this search finds.")] = "",
    person: Annotated[str, typer.Option(help="Erase what this name submitted, and what it said.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be erased, and stop.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    json: Json = False,
) -> None:
    """Erase code, output, purposes, reasons and notes. Nothing brings them back; what is left is proved."""
    if sum(map(bool, (submission, query, person))) != 1:
        raise Problem(422, "one of --submission, --query and --person is needed")
    wanted = ErasureRequest(
        submission=submission, query=query, person=Untrusted(person), reason=Untrusted(reason), dry_run=True
    )
    report = with_client(lambda client: client.erasures.erase(wanted))
    if not dry_run:
        if not yes and not _confirmed(report):
            raise Problem(409, "nothing was erased")
        real = wanted.for_real()
        report = with_client(lambda client: client.erasures.erase(real))
    if json:
        print_json(report)
    for line in () if json else report_lines(report):
        print_line(line)


def _confirmed(report: ErasureReport) -> bool:
    for line in report_lines(report):
        print_line(line)
    return typer.confirm("Erase this for good? Backups are yours to erase.")


def report_lines(report: ErasureReport) -> Iterator[str]:
    """Yield what was erased, or would be, and what stays and why."""
    done = "would be erased" if report.dry_run else "erased"
    yield f"{many(report.submissions, 'submission')}: {done}"
    yield from (f"  {count:>6}  {visible(name)}" for name, count in sorted(report.categories.items()))
    yield from (f"  kept    {visible(id)}: a legal hold keeps it (pratique hold list)" for id in report.held)
    yield from (f"  kept    {visible(id)}: it is not over" for id in report.unfinished)
    if report.more:
        yield dim(f"{many(report.more, 'submission')} more: type the same again")
