"""The author's decision about their own code: by the key that submits it, or in a sheet over the editor."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from console.explore.own_run import author_record, runs_at_once
from engine.common.errors import Problem
from engine.models import Case, DecisionOutcome, Status, Verdict

if TYPE_CHECKING:
    from console.app.app import ConsoleApp

REFUSED = 403
"""The status where another person has to decide."""


async def decide(app: ConsoleApp, case: Case, seconds: float, *, by_key: bool) -> Case | None:
    """Approve the author's own pending code; None where they went back to the editor.

    Where another person has to decide, or on an error, the case is returned pending. `seconds` is how long
    the code stood in the editor as it is. What was submitted because another program saved the file, and not
    `by_key`, runs at once only if it is proven harmless.
    """
    if case.status is not Status.PENDING:
        return case
    if not runs_at_once(case) or not (by_key or case.analysis.verdict is Verdict.HARMLESS):
        from console.explore.run_sheet import RunSheet  # noqa: PLC0415  on its first use

        began = asyncio.get_running_loop().time()
        if not await app.push_screen_wait(RunSheet(case)):
            await app.connection.call(lambda client: client.withdraw(case.submission.id))
            return None
        seconds += asyncio.get_running_loop().time() - began
    return await _approve(app, case, seconds)


async def _approve(app: ConsoleApp, case: Case, seconds: float) -> Case:
    submission, record = case.submission, author_record(case, seconds)
    try:
        return await app.connection.client.decide(
            submission.id, DecisionOutcome.APPROVED, submission.digest, review_record=record
        )
    except Problem as problem:
        app.notify(str(problem), severity="information" if problem.status == REFUSED else "error")
        return case
