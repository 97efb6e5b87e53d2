"""The code that Explore submits: it is decided, followed until it ends, and its status shown."""

from __future__ import annotations

import asyncio
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from textual.screen import Screen
from textual.widgets import Input, Static

from console.app.state import console_app
from console.app.textual_patches import update_height
from console.app.workers import run_in_background
from console.explore import request_fields, run_follow
from console.explore.error_marks import ErrorMarks
from console.explore.preview.server_preview import ServerPreview
from console.explore.request_fields import RequestOptions
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText
from console.run.output_log import OutputLog
from console.run.result_text import has_artifacts, outcome_line
from console.safety.text import Part, paragraphs
from engine.common.text import Untrusted
from engine.models import OPEN, Case, Draft, Status, Stream

if TYPE_CHECKING:
    from console.app.app import ConsoleApp


class How(Enum):
    """Who decides: the author by the key, the author about a file that was saved, or a reviewer."""

    KEY = "key"
    SAVED = "saved"
    REVIEW = "review"


class Submitted:
    """Submits what is in the editor; `case` is what was submitted last, and `options` what it requests."""

    def __init__(
        self,
        screen: Screen[None],
        text: TypedText,
        errors: ErrorMarks,
        session: OpenSession,
        preview: ServerPreview,
    ) -> None:
        self._screen = screen
        self._text = text
        self._errors = errors
        self._session = session
        self._preview = preview
        self._changed_at = asyncio.get_running_loop().time()
        self._keys = (False, False)
        """Whether artifacts and an error are offered in the footer."""
        self.options = RequestOptions()
        self.case: Case | None = None

    def code_changed(self) -> None:
        """Note that the code is another one from now on."""
        self._changed_at = asyncio.get_running_loop().time()

    def submit(self, how: How) -> None:
        """Submit the code, decide about it, and follow it until it ends."""
        run_in_background(self._screen, partial(self._submit, how), "submit")

    def submit_for_review(self) -> None:
        """Submit the code for a reviewer, once its purpose is written."""
        purpose = self._screen.query_one("#purpose", Input)
        if purpose.value.strip():
            self.submit(How.REVIEW)
        else:
            self._screen.notify("Write for the reviewer what the code is for, then press alt+r again.")
            purpose.focus()

    async def _submit(self, how: How) -> None:
        await self._text.editor.settled()
        if not self._text.editor.text.strip():
            self._screen.notify("There is no code to submit.", severity="warning")
            return
        try:
            draft = await asyncio.to_thread(self._draft) if self.options.paths else self._draft()
        except ValueError as error:
            self._screen.notify(str(error), severity="error")
            return
        await self._run(draft, how)

    async def _run(self, draft: Draft, how: How) -> None:
        app, log, typed = console_app(self._screen), self._screen.query_one(OutputLog), self._text.current
        case = await app.connection.call(lambda client: client.submit(draft))
        run = case.submission.id if case is not None else ""
        run_in_background(
            self._screen, partial(self._text.save_later, typed, run), "snippet", exclusive=False
        )
        if case is None:
            return
        ended = await self._followed(app, case, how)
        if ended is not None:
            self._errors.show(draft.code.text, ended.result, (log.lines(Stream.STDERR), log.lines()))
            self._show(ended)

    async def _followed(self, app: ConsoleApp, case: Case, how: How) -> Case | None:
        log = self._screen.query_one(OutputLog)
        if how is How.REVIEW:
            return await run_follow.follow(app, case, log, self._show)
        unchanged = asyncio.get_running_loop().time() - self._changed_at
        return await run_follow.run_own(app, case, log, self._show, unchanged, by_key=how is How.KEY)

    def _draft(self) -> Draft:
        editor, options = self._text.editor, self.options
        purpose = self._screen.query_one("#purpose", Input).value
        return Draft(code=Untrusted(editor.text), language=editor.code_language, purpose=Untrusted(purpose),
                     permissions=options.permissions, files=request_fields.read(options.paths),
                     session=self._session.id_for(editor.code_language), image=options.image,
                     expect=options.expect, verify=options.verify)  # fmt: skip

    def _show(self, case: Case) -> None:
        self.case = case
        self._show_status()
        if (keys := (self.has_artifacts, self._errors.found)) != self._keys:
            self._keys = keys
            self._screen.refresh_bindings()

    def _show_status(self) -> None:
        """Show the status of what was submitted last, if anything was, and the link of a preview."""
        link, lines = self._preview.link(self.running), list[list[Part]]()
        if self.case is not None:
            self._screen.query_one(OutputLog).hint = run_follow.output_hint(self.case)
            lines.append(run_follow.status_line(self.case, outcome_line(self.case)))
        if link:
            lines.append([(link, "accent")])
        if self.case is not None:
            lines += [*self._errors.sentence(), *run_follow.display_lines(self.case)]
        status = self._screen.query_one("#status", Static)
        update_height(status, paragraphs(*lines))
        status.set_class(bool(lines), "-said")

    @property
    def runs(self) -> bool:
        """Whether the code runs now, or is about to."""
        return self.case is not None and self.case.status in {Status.QUEUED, Status.RUNNING}

    @property
    def running(self) -> str:
        """The id of the run that goes on; empty where none does."""
        return self.case.submission.id if self.case is not None and self.runs else ""

    async def preview(self) -> None:
        """Open a preview of the server in the run or in the session, show its link, and copy it."""
        running = self.case if self.runs else None
        code = running.submission.draft.code.text if running else self._text.editor.text
        await self._preview.open(running, code)
        self._show_status()

    @property
    def has_artifacts(self) -> bool:
        """Whether the run left something to see."""
        return self.case is not None and has_artifacts(self.case.result)

    def show_artifacts(self) -> None:
        """Show what the run displayed and left."""
        from console.run.artifacts import ArtifactsScreen  # noqa: PLC0415  on its first use

        if self.case is not None and self.case.result is not None:
            self._screen.app.push_screen(ArtifactsScreen(self.case.submission.id, self.case.result))

    async def ask_permissions(self) -> None:
        """Ask for the permissions that the code requests."""
        from console.explore.request_form import RequestFormScreen  # noqa: PLC0415  on its first use

        options = await self._screen.app.push_screen_wait(RequestFormScreen(self.options))
        if options is not None:
            self.options = options

    def refresh(self) -> None:
        """Show how long the run has taken."""
        if self.case is not None and self.case.status in OPEN and self._screen.is_current:
            self._show_status()
