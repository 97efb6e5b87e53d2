"""Explore: write, be told at once what a reviewer would object to, hand it in, see what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from console.screens.place import Place
from console.screens.run import told
from console.state import console
from console.text import content
from console.units import full_badge
from console.widgets.editor import Editor
from console.widgets.output_log import OutputLog
from console.widgets.violations import ViolationDetail, ViolationList
from engine.doors.client import Client
from engine.models import Analysis, Case, Draft, Language, Status
from engine.text import Untrusted

TYPING_SECONDS = 0.25
"""How long after the last key the analysis starts."""


class ExploreScreen(Place):
    """The developer's place."""

    NAME = "explore"
    CSS_PATH = "explore.tcss"
    HELP_TITLE = "Explore"
    HELP_WORDS = (
        "Write Python, JavaScript or shell; the analysis runs as you type and marks what a reviewer would "
        "object to. ctrl+r hands it in, with the purpose that you gave: what the policy lets through runs at "
        "once and writes below, the rest waits under 1 Review. Esc leaves the editor, so that the number "
        "keys work."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "submit", "Hand in, run", id="explore.submit", priority=True,
                tooltip="Hand the code in; it runs where the policy or a person lets it"),
        Binding("ctrl+l", "language", "Language", id="explore.language", priority=True,
                tooltip="Python, JavaScript, shell"),
        Binding("ctrl+p", "purpose", "Purpose", id="explore.purpose", priority=True,
                tooltip="Say what it is for"),
        Binding("escape", "leave", "Leave editor", id="explore.leave", tooltip="So that plain keys work"),
        Binding("enter,e", "edit", "Edit", id="explore.edit", tooltip="Back into the editor"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._violations: tuple[object, ...] = ()

    def contents(self) -> Iterable[Widget]:
        """Lay out editor, violations and output."""
        yield Editor(id="editor")
        with Container(id="side"):
            yield ViolationList(id="violations")
            yield ViolationDetail(id="detail")
        with Container(id="below", classes="box"):
            yield Static(id="ending")
            yield OutputLog(id="output")

    def below(self) -> Iterable[Widget]:
        """Lay out the line for the purpose."""
        yield Input(
            id="purpose", placeholder="What is it for? The reviewer reads this", select_on_focus=False
        )

    def on_mount(self) -> None:
        """Begin in the editor."""
        super().on_mount()
        editor = self.query_one(Editor)
        editor.border_title = "python"
        editor.border_subtitle = content("ctrl+r hands in and runs")
        self.query_one("#below").border_title = "Output"
        self.query_one(OutputLog).hint = "Write something, then press ctrl+r."
        editor.focus()

    # --- as they type -----------------------------------------------------------------------------

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self.query_one(Editor).colour()
        self._analyse()

    @work(exclusive=True, group="analysis")
    async def _analyse(self) -> None:
        await asyncio.sleep(TYPING_SECONDS)
        editor = self.query_one(Editor)
        text, language = editor.text, editor.code_language
        if not text.strip():
            self._judged(Analysis())
            return
        analysis = await console(self).ask(lambda client: client.analyse(text, language))
        if analysis is not None and editor.text == text:
            self._judged(analysis)

    def _judged(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self.query_one(Editor).mark(analysis.violations)
        self.query_one(ViolationList).show(analysis.violations)
        self.query_one(ViolationDetail).show(analysis.violations[0] if analysis.violations else None)

    _analysis = Analysis()

    @on(ViolationList.Moved)
    def _looked(self, message: ViolationList.Moved) -> None:
        violations = self._analysis.violations
        if message.index < len(violations):
            violation = violations[message.index]
            self.query_one(ViolationDetail).show(violation)
            self.query_one(Editor).move_cursor((violation.span.line - 1, violation.span.column - 1))

    # --- handing in -------------------------------------------------------------------------------

    @work(exclusive=True, group="submit")
    async def action_submit(self) -> None:
        """Hand the code in and follow what becomes of it."""
        editor, app = self.query_one(Editor), console(self)
        if not editor.text.strip():
            self.notify("There is nothing to hand in yet.", severity="warning")
            return
        purpose = self.query_one("#purpose", Input).value
        draft = Draft(code=Untrusted(editor.text), language=editor.code_language, purpose=Untrusted(purpose))
        self.query_one(OutputLog).clear()
        case = await app.ask(lambda client: client.submit(draft))
        while case is not None and case.status in {Status.WAITING, Status.QUEUED, Status.RUNNING}:
            case = await self._followed(case)
        if case is not None:
            self._say(case)

    async def _followed(self, case: Case) -> Case | None:
        app, id = console(self), case.submission.id
        self._say(case)
        if case.status is Status.WAITING:
            await self._until_changed(id)
        else:
            await app.ask(lambda client: self._read(client, id))
            await asyncio.sleep(0.05)
        return await app.ask(lambda client: client.case(id))

    async def _until_changed(self, id: str) -> None:
        app, changed = console(self), asyncio.Event()
        forget = app.listen(lambda event: changed.set() if event.subject == id else None)
        try:
            async with asyncio.timeout(1.0):
                await changed.wait()
        except TimeoutError:
            return
        finally:
            forget()

    async def _read(self, client: Client, id: str) -> None:
        log = self.query_one(OutputLog)
        log.clear()
        async for chunk in client.output(id):
            log.add(chunk)

    def _say(self, case: Case) -> None:
        risk = full_badge(case.assessment.risk)
        if case.status is Status.WAITING:
            words = content(
                risk, "  ", (case.submission.id, "bold"), ("  waits for a decision: 1 Review", "accent")
            )
        elif case.status in {Status.DENIED, Status.EXPIRED, Status.REFUSED}:
            reason = case.decision.reason if case.decision else Untrusted("")
            words = content(risk, "  ", (case.status.value, "bold error"), "  ", reason)
        else:
            words = content(risk, "  ", (case.submission.id, "bold"), "  ", *told(case))
        ending = self.query_one("#ending", Static)
        ending.update(words)
        ending.add_class("-said")

    # --- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to leave the editor in it, and to edit outside of it."""
        if action == "edit":
            return self.focused is None
        if action == "leave":
            return self.focused is not None
        return True

    def action_language(self) -> None:
        """Go on to the next language."""
        editor, languages = self.query_one(Editor), list(Language)
        editor.code_language = languages[(languages.index(editor.code_language) + 1) % len(languages)]
        editor.border_title = editor.code_language.value
        editor.colour()
        self._analyse()

    def action_purpose(self) -> None:
        """Go to the line for the purpose."""
        self.query_one("#purpose").focus()

    @on(Input.Submitted, "#purpose")
    def action_edit(self) -> None:
        """Go back into the editor."""
        self.query_one(Editor).focus()

    def action_leave(self) -> None:
        """Leave whatever is focused."""
        self.set_focus(None)
