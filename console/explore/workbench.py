"""What Explore works on: what is typed, with the analysis behind it, or a file that is followed."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

from textual import on, work
from textual.widgets import Input, Static, TextArea

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.explore import file_watch, snippets
from console.explore.editor import Editor
from console.explore.snippets import SavedSnippet
from console.review.violations import ViolationDetail, ViolationList
from console.safety.text import content
from console.widgets.formatting import full_badge, now
from engine.common.text import Untrusted
from engine.models import Analysis

TYPING_SECONDS = 0.25
"""How long after the last key the analysis starts."""


class Workbench(BaseScreen):
    """A place with an editor, its violations beside it, and what is in it handed in by `action_submit`."""

    def __init__(self) -> None:
        super().__init__()
        self._analysis = Analysis()
        self.path: Path | None = None
        """The file that is followed."""
        self.rerun = False
        """Whether it is handed in whenever it is saved."""

    def set_border_title(self) -> None:
        """Say around the editor what is in it."""
        raise NotImplementedError

    def action_submit(self) -> object:
        """Hand in what is in the editor."""
        raise NotImplementedError

    @on(Editor.ModeChanged)
    def _mode_changed(self) -> None:
        self.set_border_title()

    # --- as they type -----------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.query_one(Editor).colour()
        self.analyse()

    @work(exclusive=True, group="analysis")
    async def analyse(self) -> None:
        """Judge what is in the editor, once typing has paused."""
        await asyncio.sleep(TYPING_SECONDS)
        editor = self.query_one(Editor)
        text, language = editor.text, editor.code_language
        if not text.strip():
            self._judged(Analysis())
            return
        analysis = await console_app(self).connection.call(lambda client: client.analyse(text, language))
        if analysis is not None and editor.text == text:
            self._judged(analysis)

    def _judged(self, analysis: Analysis) -> None:
        self._analysis = analysis
        editor, rows = self.query_one(Editor), self.query_one(ViolationList)
        editor.mark(analysis.violations)
        rows.unwritten = not editor.text.strip()
        rows.show(analysis.violations)
        rows.border_subtitle = ""
        self._remark(0)

    def _remark(self, index: int) -> None:
        """Say one violation in full beside the editor, and in one line where there is no room beside it."""
        violations = self._analysis.violations
        violation = violations[index] if index < len(violations) else None
        self.query_one(ViolationDetail).show(violation)
        remark = self.query_one("#remark", Static)
        remark.set_class(violation is not None, "-said")
        if violation is not None:
            at = f"  {index + 1} of {len(violations)}, line {violation.span.line}: "
            remark.update(content(full_badge(violation.severity), (at, "muted"), violation.message))

    @on(ViolationList.Moved)
    def _looked(self, message: ViolationList.Moved) -> None:
        violations = self._analysis.violations
        if message.index < len(violations):
            violation = violations[message.index]
            self._remark(message.index)
            self.query_one(Editor).move_cursor((violation.span.line - 1, violation.span.column - 1))

    async def keep_typed(self) -> None:
        """Put what was typed among the snippets, before something else takes its place."""
        editor, purpose = self.query_one(Editor), self.query_one("#purpose", Input).value
        if self.path is None and editor.text.strip():
            typed = SavedSnippet(at=now(), language=editor.code_language, code=Untrusted(editor.text),
                            purpose=Untrusted(purpose))  # fmt: skip
            await self.keep(typed)

    async def keep(self, snippet: SavedSnippet) -> None:
        """Put a snippet among those that can be had again; say so where that cannot be."""
        try:
            await asyncio.to_thread(snippets.keep, snippet)
        except OSError as error:
            self.notify(f"{snippets.file()} cannot be written: {error.strerror}", severity="warning")

    # --- a file of this machine -------------------------------------------------------------------

    @work(exclusive=True, group="follow")
    async def follow(self, path: Path) -> None:
        """Show a file, and show it again whenever it is saved."""
        try:
            text = await asyncio.to_thread(file_watch.read, path)
        except ValueError as error:
            self.notify(str(error), severity="error")
            return
        await self.keep_typed()
        editor = self.query_one(Editor)
        editor.code_language = file_watch.LANGUAGES.get(path.suffix, editor.code_language)
        self.path = path
        editor.set_locked(True)
        editor.text = text
        self.set_border_title()
        async with aclosing(file_watch.saved(path)) as texts:
            async for each in texts:
                place = editor.cursor_location
                editor.text = each
                editor.move_cursor(place)
                if self.rerun:
                    self.action_submit()

    @work
    async def action_open(self) -> None:
        """Open a file of this machine."""
        from console.explore.open_file import OpenScreen  # noqa: PLC0415  on its first use

        start = self.path.parent if self.path else Path.cwd()
        path = await self.app.push_screen_wait(OpenScreen(start))
        if path is not None:
            self.follow(path)

    def action_unfollow(self) -> None:
        """Edit here what was followed."""
        self.workers.cancel_group(self, "follow")
        self.path, self.rerun = None, False
        self.query_one(Editor).set_locked(False)
        self.query_one(Editor).focus()
        self.set_border_title()

    def action_rerun(self) -> None:
        """Hand in on every save, or no longer."""
        self.rerun = not self.rerun
        self.set_border_title()
