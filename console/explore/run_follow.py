"""Follows a submission from Explore until it ends, and describes its status."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Protocol

from console.explore import own_decision
from console.safety.text import Part
from console.widgets.formatting import bar, clock, full_badge, lasted, now, size
from engine.common.text import Untrusted
from engine.models import NOT_RUN, OPEN, Case, OutputChunk, Status

if TYPE_CHECKING:
    from console.app.app import ConsoleApp
    from engine.client.client import Client

REFUSED = NOT_RUN
LOOK_SECONDS = 1.0
"""The case is read again after this time even if no event arrives."""
RELOAD_SECONDS = 0.1
"""A case is read again this long after a change: requests and paints before the first output delay it."""
END_SECONDS = 1.0
"""A run whose output is over ends within this time, or its case is read again."""
BAR_CELLS = 24
SHOWN_EVENTS = frozenset({"run.started", "run.display"})
"""Events of a run after which its case is shown again."""


class OutputSink(Protocol):
    """Where the output of a run goes."""

    def clear(self) -> None:
        """Forget what came."""

    def add(self, chunk: OutputChunk) -> None:
        """Take what comes next."""


class RunOutput:
    """Reads the output of a run into a sink, from before it begins where that is asked for."""

    def __init__(self, app: ConsoleApp, id: str, sink: OutputSink) -> None:
        self._app = app
        self._id = id
        self._sink = sink
        self._offset = 0
        self._cleared = False

    def clear(self) -> None:
        """Forget what an earlier run wrote, once."""
        if not self._cleared:
            self._cleared = True
            self._sink.clear()

    async def read(self) -> None:
        """Read on until the engine has no more."""
        await self._app.connection.call(self._read)

    async def _read(self, client: Client) -> None:
        async with aclosing(client.output(self._id, self._offset)) as chunks:
            async for chunk in chunks:
                self.clear()
                self._sink.add(chunk)
                self._offset = chunk.offset + len(chunk.data)


async def run_own(
    app: ConsoleApp,
    case: Case,
    log: OutputSink,
    show: Callable[[Case], None],
    seconds: float = 0.0,
    *,
    by_key: bool = True,
) -> Case | None:
    """Have the author decide about their own code, as `own_decision.decide` does, and follow it to its end.

    Its output is asked for together with the decision: the first of it does not wait for another request.
    """
    output = RunOutput(app, case.submission.id, log)
    async with asyncio.TaskGroup() as group:
        deciding = group.create_task(own_decision.decide(app, case, seconds, by_key=by_key))
        reading = group.create_task(output.read())
        decided = await deciding
        ended = await _until_ended(app, decided, output, show, reading) if decided is not None else None
        reading.cancel()
    return ended


async def follow(app: ConsoleApp, case: Case, log: OutputSink, show: Callable[[Case], None]) -> Case | None:
    """Follow a case until it ends; write its output into `log`, and show every change."""
    return await _until_ended(app, case, RunOutput(app, case.submission.id, log), show, None)


async def _until_ended(
    app: ConsoleApp,
    case: Case,
    output: RunOutput,
    show: Callable[[Case], None],
    reading: asyncio.Task[None] | None,
) -> Case | None:
    """Show a case until it ends. Where its output is read already, `reading` does that."""
    output.clear()
    at: Case | None = case
    id, over = case.submission.id, False
    while at is not None and at.status in OPEN:
        show(at)
        if at.status is Status.PENDING:
            await _wait_for_event(app, id)
        else:
            await _stream_run(app, id, reading or output.read(), show)
            reading, over = None, True
        at = await _read_case(app, id, END_SECONDS if over else 0)
    if at is not None and at.result is not None and not over:
        await (reading or output.read())
    return at


async def _read_case(app: ConsoleApp, id: str, within: float) -> Case | None:
    return await app.connection.call(lambda client: client.case(id, within))


async def _stream_run(
    app: ConsoleApp, id: str, reading: Awaitable[None], show: Callable[[Case], None]
) -> None:
    """Wait for the end of the output; show the case again when it starts and displays something."""
    changed = asyncio.Event()
    changed.set()  # it may have started meanwhile
    forget = app.connection.subscribe(
        lambda event: changed.set() if event.subject == id and event.type in SHOWN_EVENTS else None
    )
    try:
        async with asyncio.TaskGroup() as group:
            reloading = group.create_task(_reload(app, id, changed, show))
            await reading
            reloading.cancel()
    finally:
        forget()


async def _reload(app: ConsoleApp, id: str, changed: asyncio.Event, show: Callable[[Case], None]) -> None:
    """Read and show the case a while after each change: not where the run is over by then."""
    while await changed.wait():
        await asyncio.sleep(RELOAD_SECONDS)
        changed.clear()
        case = await app.connection.call(lambda client: client.case(id))
        if case is not None:
            show(case)


async def _wait_for_event(app: ConsoleApp, id: str) -> None:
    changed = asyncio.Event()
    forget = app.connection.subscribe(lambda event: changed.set() if event.subject == id else None)
    try:
        async with asyncio.timeout(LOOK_SECONDS):
            await changed.wait()
    except TimeoutError:
        return
    finally:
        forget()


def status_line(case: Case, outcome: list[Part]) -> list[Part]:
    """Return the status of a case in one line; `outcome` describes a run that ended."""
    risk: list[Part] = [full_badge(case.assessment.risk), "  "]
    if case.status is Status.PENDING:
        return [*risk, (case.submission.id, "bold"), ("  pending review", "accent"), *_waiting(case)]
    if case.status in REFUSED:
        reason: list[Part] = ["  ", case.decision.reason] if case.decision else []
        return [*risk, (case.status.value, "bold error"), *reason]
    if case.status in OPEN:
        return [*risk, (case.submission.id, "bold"), "  ", *_progress(case)]
    return [*risk, (case.submission.id, "bold"), "  ", *outcome]


def _waiting(case: Case) -> list[Part]:
    """Return for whom a submission waits, for how long it has, and how long it can."""
    who: list[Part] = ["  waits for ", case.assigned.to if case.assigned else "a reviewer"]
    if case.claim is not None:
        who = ["  ", case.claim.by, " reviews it"]
    spent = clock((now() - case.submission.submitted_at).total_seconds())
    ends = ""
    if case.deadline is not None and case.claim is None:  # a claim stops the clock
        ends = f", expires in {clock((case.deadline - now()).total_seconds())}"
    return [*who, (f"  {spent} so far{ends}", "muted")]


def output_hint(case: Case) -> str:
    """Return the text shown while there is no output."""
    if case.status is Status.PENDING:
        return "It runs once it is approved in 1 Review."
    if case.status in REFUSED:
        return "It did not run. ctrl+r submits it again."
    return "No output yet." if case.status in OPEN else "No output."


def _progress(case: Case) -> list[Part]:
    if case.started_at is None:
        return [("starting sandbox", "muted")]
    granted = case.decision.grant if case.decision else None
    limits = (granted.permissions if granted else case.submission.draft.permissions).limits
    spent = (now() - case.started_at).total_seconds()
    time = (f"  {lasted(spent)} of {limits.seconds:g} s", "muted")
    return [*bar(spent / limits.seconds, BAR_CELLS, "success"), time]


def display_lines(case: Case) -> list[list[Part]]:
    """Return what a run displayed, one line each, and the names of its files."""
    lines: list[list[Part]] = []
    for each in case.result.displays if case.result else case.displays:
        what: Part = each.text if each.mime == "text/plain" else (f"{each.mime}, {size(each.size)}", "muted")
        lines.append([("→ ", "accent"), what])
    artifacts = case.result.artifacts if case.result else ()
    files = ", ".join(f"{each.name.text} ({size(each.size)})" for each in artifacts)
    return [*lines, [("artifacts: ", "muted"), Untrusted(files)]] if files else lines
