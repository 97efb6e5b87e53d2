"""Passes on which lines of a run's code ran, as its interpreter says, while it goes on and at its end."""

from __future__ import annotations

import time

from engine.common.text import Untrusted
from engine.models import Language
from engine.models.lines import MOST_PYTHON_HITS, RunLines
from engine.sandbox.api.job import Job, Watcher
from engine.sandbox.api.run_events import LinesRan
from engine.sandbox.guest_protocol.exit_report import ExitReport
from engine.sandbox.guest_protocol.line_rows import LineRowsError, line_marks, split_report


class LineRecorder:
    """The marked lines of one run. What cannot be read is left out, and marks what is shown as partial."""

    def __init__(self, job: Job, watcher: Watcher) -> None:
        self._watcher = watcher
        self._began = time.monotonic()
        self._lines = job.code.count(b"\n") + 1
        limit = MOST_PYTHON_HITS if job.language is Language.PYTHON else 0
        self._last = RunLines(hits_limit=limit, partial=True)

    @property
    def last(self) -> RunLines:
        """What was said last."""
        return self._last

    def start(self) -> None:
        """Note that the code was sent."""
        self._began = time.monotonic()

    async def take(self, item: bytes) -> None:
        """Take what the supervisor says while the program runs."""
        try:
            rows, stack = split_report(item)
            marks = line_marks(rows, self._lines)
        except LineRowsError:
            return
        self._last = RunLines(
            marks=marks,
            hits_limit=self._last.hits_limit,
            partial=True,
            stack=Untrusted(stack),
            asked_at=round(time.monotonic() - self._began, 3),
        )
        await self._watcher.event(LinesRan(lines=self._last))

    async def finish(self, report: ExitReport) -> None:
        """Pass on the last report, or else what was said before."""
        lines = self._last.without_stack()
        try:
            if report.lines is not None:
                marks = line_marks(report.lines, self._lines)
                lines = RunLines(marks=marks, hits_limit=lines.hits_limit)
        except LineRowsError:
            pass
        if lines.marks:
            await self._watcher.event(LinesRan(lines=lines, final=True))
