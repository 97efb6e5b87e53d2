"""A preview of the submission under the cursor, beside the list where the screen is broad."""

from __future__ import annotations

import asyncio

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from console.app.state import console_app
from console.history.case_facts import case_lines
from console.safety.text import Part, clip
from console.widgets.fitted_lines import FittedLines
from engine.models import Case

PAUSE_SECONDS = 0.15
"""So long the cursor rests before the submission is read."""
LINES = 20
"""So many lines of its code are shown."""


class CasePreview(VerticalScroll, can_focus=False):
    """Shows the facts of a submission and the beginning of its code."""

    DEFAULT_CSS = """
    CasePreview { width: 2fr; height: 1fr; display: none; }
    CasePreview Static { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__(id="preview", classes="box")
        self.border_title = "Preview"

    def compose(self) -> ComposeResult:
        """Lay out the lines."""
        yield FittedLines(id="previewed")

    def show(self, id: str | None) -> None:
        """Show a submission once the cursor rests on it; nothing where there is none."""
        if self.display:
            self._load(id)

    @work(exclusive=True)
    async def _load(self, id: str | None) -> None:
        await asyncio.sleep(PAUSE_SECONDS)
        case = await console_app(self).connection.call(lambda client: client.case(id)) if id else None
        lines = preview_lines(case, self.content_size.width) if case else []
        self.query_one(FittedLines).show(lines)


def preview_lines(case: Case, width: int) -> list[list[Part]]:
    """Return the facts of a submission and the beginning of its code."""
    code = case.submission.draft.code.text.splitlines()
    shown: list[list[Part]] = [[clip(line, max(1, width))] for line in code[:LINES]]
    return [*case_lines(case), [], [("Code", "bold muted")], *shown]
