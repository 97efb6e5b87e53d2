"""What becomes of code that a developer handed in: followed until it is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from console.safety.text import Part
from console.widgets.formatting import bar, full_badge, lasted, now, size
from engine.common.text import Untrusted
from engine.models import Case, Status

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from console.run.output_log import OutputLog
    from engine.client.client import Client

OPEN = frozenset({Status.PENDING, Status.QUEUED, Status.RUNNING})
REFUSED = frozenset({Status.DENIED, Status.EXPIRED, Status.REFUSED})
LOOK_SECONDS = 1.0
"""How long an event that does not come is waited for, before the case is looked at all the same."""
BAR_CELLS = 24


async def follow(app: ConsoleApp, case: Case, log: OutputLog, say: Callable[[Case], None]) -> Case | None:
    """Follow a case until it is over; write its output into `log`, and say how it stands."""
    at: Case | None = case
    id, read = case.submission.id, False
    while at is not None and at.status in OPEN:
        say(at)
        if at.status is Status.PENDING:
            await _changed(app, id)
        else:
            read = True
            await _going_on(app, id, log, say)
            await asyncio.sleep(0.05)
        at = await app.connection.call(lambda client: client.case(id))
    if at is not None and at.result is not None and not read:
        await app.connection.call(lambda client: _written(client, id, log))
    return at


async def _going_on(app: ConsoleApp, id: str, log: OutputLog, say: Callable[[Case], None]) -> None:
    """Write what a run prints, and say how it stands whenever it shows something."""
    showed = asyncio.Event()
    forget = app.connection.subscribe(
        lambda event: showed.set() if event.subject == id and event.type == "run.display" else None
    )
    try:
        async with asyncio.TaskGroup() as group:
            looking = group.create_task(_look_again(app, id, showed, say))
            await app.connection.call(lambda client: _written(client, id, log))
            looking.cancel()
    finally:
        forget()


async def _look_again(app: ConsoleApp, id: str, showed: asyncio.Event, say: Callable[[Case], None]) -> None:
    while await showed.wait():
        showed.clear()
        case = await app.connection.call(lambda client: client.case(id))
        if case is not None:
            say(case)


async def _changed(app: ConsoleApp, id: str) -> None:
    changed = asyncio.Event()
    forget = app.connection.subscribe(lambda event: changed.set() if event.subject == id else None)
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            await changed.wait()
    except TimeoutError:
        return
    finally:
        forget()


async def _written(client: Client, id: str, log: OutputLog) -> None:
    log.clear()
    async with aclosing(client.output(id)) as chunks:
        async for chunk in chunks:
            log.add(chunk)


def standing(case: Case, told: list[Part]) -> list[Part]:
    """Return how a case stands, in one line; `told` says how a run ended."""
    risk: list[Part] = [full_badge(case.assessment.risk), "  "]
    if case.status is Status.PENDING:
        return [*risk, (case.submission.id, "bold"), ("  waits for a decision", "accent")]
    if case.status in REFUSED:
        reason: list[Part] = ["  ", case.decision.reason] if case.decision else []
        return [*risk, (case.status.value, "bold error"), *reason]
    if case.status in OPEN:
        return [*risk, (case.submission.id, "bold"), "  ", *_progress(case)]
    return [*risk, (case.submission.id, "bold"), "  ", *told]


def hint(case: Case) -> str:
    """Return what stands where the output will be, or would have been."""
    if case.status is Status.PENDING:
        return "Esc, then 1, shows what the reviewer sees."
    if case.status in REFUSED:
        return "It did not run. ctrl+r hands it in again."
    return "Nothing printed yet." if case.status in OPEN else "It printed nothing."


def _progress(case: Case) -> list[Part]:
    if case.started_at is None:
        return [("a sandbox is being made ready", "muted")]
    granted = case.decision.grant if case.decision else None
    limits = (granted.permissions if granted else case.submission.draft.permissions).limits
    spent = (now() - case.started_at).total_seconds()
    said = (f"  {lasted(spent)} of {limits.seconds:g} s", "muted")
    return [*bar(spent / limits.seconds, BAR_CELLS, "success"), said]


def values(case: Case) -> list[list[Part]]:
    """Return what a notebook showed beside its output, a line each; pictures and files by what they are."""
    shown: list[list[Part]] = []
    for each in case.result.displays if case.result else case.displays:
        what: Part = each.text if each.mime == "text/plain" else (f"{each.mime}, {size(each.size)}", "muted")
        shown.append([("→ ", "accent"), what])
    artifacts = case.result.artifacts if case.result else ()
    left = ", ".join(f"{each.name.text} ({size(each.size)})" for each in artifacts)
    return [*shown, [("left in /workspace: ", "muted"), Untrusted(left)]] if left else shown
