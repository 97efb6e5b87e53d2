"""The analysis of the code in the editor while it is typed."""

from __future__ import annotations

import asyncio

from textual.screen import Screen
from textual.widgets import Static

from console.app.state import console_app
from console.app.textual_patches import update_height
from console.app.workers import run_in_background
from console.explore.editor import Editor
from console.explore.reviewer_view import effect_lines, verdict_parts
from console.review.violations import ViolationDetail, ViolationList
from console.safety.text import Part, content, paragraphs
from console.widgets.violation_badges import author_badge
from engine.models import Analysis, Verdict

TYPING_SECONDS = 0.15
"""The analysis starts this long after the last key."""


class LiveAnalysis:
    """Analyses the code in the editor, marks the violations there and lists them beside it."""

    def __init__(self, screen: Screen[None]) -> None:
        self._screen = screen
        self._analysis = Analysis()

    def start(self) -> None:
        """Analyse the code once typing pauses."""
        run_in_background(self._screen, self._analyse, "analysis")

    async def _analyse(self) -> None:
        await asyncio.sleep(TYPING_SECONDS)
        editor = self._screen.query_one(Editor)
        text, language = editor.text, editor.code_language
        if not text.strip():
            self.show(Analysis())
            return
        analysis = await console_app(self._screen).connection.call(
            lambda client: client.analyse(text, language)
        )
        if analysis is not None and editor.text == text:
            self.show(analysis)

    def show(self, analysis: Analysis) -> None:
        """Show an analysis."""
        self._analysis = analysis
        editor, rows = self._screen.query_one(Editor), self._screen.query_one(ViolationList)
        editor.mark(analysis.violations)
        rows.unwritten = not editor.text.strip()
        rows.show(analysis.violations)
        rows.border_subtitle = ""
        rows.show_verdict(analysis)
        self._show_effects()
        self._describe(0)

    def select(self, index: int) -> None:
        """Show the details of a violation, and move the cursor to it."""
        if index < len(self._analysis.violations):
            span = self._analysis.violations[index].span
            self._describe(index)
            self._screen.query_one(Editor).move_cursor((span.line - 1, span.column - 1))

    def _describe(self, index: int) -> None:
        """Show a violation in full beside the editor, and in one line on a narrow screen."""
        violations = self._analysis.violations
        violation = violations[index] if index < len(violations) else None
        self._screen.query_one(ViolationDetail).show(violation)
        if violation is None:
            self._say(verdict_parts(self._analysis))
        else:
            at = f"  {index + 1} of {len(violations)}, line {violation.span.line}: "
            self._say([author_badge(violation), (at, "muted"), violation.message])

    def _say(self, parts: list[Part]) -> None:
        line = self._screen.query_one("#violation-line", Static)
        line.set_class(self._written, "-said")
        line.update(content(*parts), layout=False)

    def _show_effects(self) -> None:
        effects = self._screen.query_one("#effects", Static)
        effects.set_class(self._written, "-said")
        lines = effect_lines(self._analysis)
        if self._analysis.verdict is not Verdict.HARMLESS:  # which the list says
            lines.insert(0, verdict_parts(self._analysis))
        update_height(effects, paragraphs(*lines))

    @property
    def _written(self) -> bool:
        return bool(self._screen.query_one(Editor).text.strip())
