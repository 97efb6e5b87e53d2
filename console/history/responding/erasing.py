"""Erasing: why, what would go, a confirmation, and only then the erasure. It cannot be undone."""

from __future__ import annotations

from typing import Any

from textual.screen import Screen

from console.app.state import console_app
from console.history.responding.confirm import ConfirmScreen
from console.history.responding.prompt import PromptScreen
from console.history.responding.selection import Selection
from console.safety.text import Part
from engine.common.text import Untrusted, many
from engine.models.erasing.erasure import LONGEST_REASON, ErasureReport, ErasureRequest

KEPT_LISTED = 5
"""So many submissions that are kept are named for each cause."""
FOR_GOOD = "Nothing brings this back. Backups and exports are yours to erase."


async def why(screen: Screen[Any], title: str, about: str) -> str | None:
    """Ask for a reason; None where none was given that can be recorded."""
    reason = await screen.app.push_screen_wait(PromptScreen(title, f"{about} Why? It is recorded and stays."))
    if reason is not None and len(reason) > LONGEST_REASON:
        screen.notify(f"A reason has at most {LONGEST_REASON} characters.", severity="warning")
        return None
    return reason


def of_selection(selection: Selection, reason: str) -> ErasureRequest:
    """Return the request that asks what would be erased of what is selected."""
    return ErasureRequest(query=selection.query, reason=Untrusted(reason), dry_run=True)


def of_person(name: str, reason: str) -> ErasureRequest:
    """Return the request that asks what would be erased of a person."""
    return ErasureRequest(person=Untrusted(name), reason=Untrusted(reason), dry_run=True)


async def erase(screen: Screen[Any], request: ErasureRequest) -> ErasureReport | None:
    """Ask what a request would erase, show it, and erase it once that is confirmed; None where it is not."""
    call = console_app(screen).connection.call
    report = await call(lambda client: client.erasures.erase(request))
    if report is None:
        return None
    if not report.submissions:
        kept = len(report.held) + len(report.unfinished)
        words = f"Nothing to erase. {many(kept, 'submission')} kept: a hold, or not over." if kept else ""
        screen.notify(words or "Nothing to erase.", severity="warning")
        return None
    steps: list[list[Part]] = [*_target(request), *report_lines(report), [], [(FOR_GOOD, "bold error")]]
    if not await screen.app.push_screen_wait(ConfirmScreen("Erase for good", steps)):
        return None
    return await call(lambda client: client.erasures.erase(request.for_real()))


def report_lines(report: ErasureReport) -> list[list[Part]]:
    """Return what was erased, or would be, and what is kept and why."""
    done = "would be erased" if report.dry_run else "erased"
    lines: list[list[Part]] = [[(f"{many(report.submissions, 'submission')}: {done}", "bold")]]
    lines += [[(f"{count:>7,}  ", "bold error"), name] for name, count in sorted(report.categories.items())]
    lines += _kept(report.held, "a legal hold keeps it")
    lines += _kept(report.unfinished, "it is not over")
    if report.more:
        lines.append([(f"{many(report.more, 'submission')} more: erase again for the rest", "warning")])
    return lines


def done_words(report: ErasureReport) -> str:
    """Return one sentence about an erasure that was done."""
    more = f" {report.more:,} more match: erase again." if report.more else ""
    return f"Erased of {many(report.submissions, 'submission')}; {len(report.held)} held.{more}"


def _target(request: ErasureRequest) -> list[list[Part]]:
    what: Part = Untrusted(request.query) if request.query else request.person
    whose = "what this finds: " if request.query else "all of the person: "
    return [[(whose, "muted"), what], [("reason ", "muted"), request.reason]]


def _kept(ids: tuple[str, ...], cause: str) -> list[list[Part]]:
    lines: list[list[Part]] = [[("   kept  ", "muted"), id, (f"  {cause}", "muted")] for id in ids]
    more = len(lines) - KEPT_LISTED
    return [*lines[:KEPT_LISTED], [(f"         and {more} more", "muted")]] if more > 0 else lines
