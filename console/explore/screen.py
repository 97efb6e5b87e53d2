"""Explore: write, be told at once what a reviewer would object to, hand it in, see what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input, Static

from console.app.state import console_app
from console.explore import request_fields, run_follow, snippets
from console.explore.editor import Editor
from console.explore.request_fields import RequestOptions
from console.explore.sessions import kept
from console.explore.snippets import SavedSnippet
from console.explore.workbench import Workbench
from console.review.violations import ViolationDetail, ViolationList
from console.run.output_log import OutputLog
from console.run.result_text import outcome_line
from console.safety.text import content, paragraphs
from console.widgets.formatting import now
from engine.common.text import Untrusted
from engine.models import Case, Draft, Language, Session


class ExploreScreen(Workbench):
    """The developer's place."""

    NAME = "explore"
    CSS_PATH = "explore.tcss"
    HELP_TITLE = "Explore"
    HELP_WORDS = (
        "Write Python, JavaScript or shell; the analysis runs as you type and marks what a reviewer would "
        "object to. ctrl+r hands it in, with the purpose and the capabilities that you gave: what the policy "
        "lets through runs at once and writes below, the rest waits under 1 Review. ctrl+o opens a file and "
        "follows it: save it in your own editor, and it is analysed anew, and run again after ctrl+s. ctrl+b "
        "uses one session: what one run defines, the next one has. Esc leaves the editor, so "
        "that the number keys work. With `vim: true` in console.yaml the editor has vim's modes: i a I A o O "
        "insert, Esc ends that; h j k l w b e 0 ^ $ gg G move, x dd yy p P u change, numbers count."
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+r", "submit", "Hand in, run", id="explore.submit", priority=True,
                tooltip="Hand the code in; it runs where the policy or a person lets it"),
        Binding("escape", "leave", "Leave", id="explore.leave",
                tooltip="Leave the editor, so that plain keys work: numbers go to the places"),
        Binding("enter,e", "edit", "Edit", id="explore.edit", tooltip="Back into the editor"),
        Binding("ctrl+l", "language", "Language", id="explore.language", priority=True,
                tooltip="Python, JavaScript, shell"),
        Binding("ctrl+p", "purpose", "Purpose", id="explore.purpose", priority=True,
                tooltip="Say what it is for"),
        Binding("ctrl+n", "wish", "Needs", id="explore.wish", priority=True,
                tooltip="What it may have and must write: domains, packages, secrets, files, limits, image"),
        Binding("ctrl+o", "open", "Open", id="explore.open", priority=True,
                tooltip="Open a file of this machine and follow it"),
        Binding("ctrl+s", "rerun", "Run on save", id="explore.rerun", priority=True,
                tooltip="Hand in whenever the followed file is saved, or no longer"),
        Binding("ctrl+e", "unfollow", "Edit here", id="explore.unfollow", priority=True,
                tooltip="Stop following the file and edit its text here"),
        Binding("ctrl+b", "keep", "Keep state", id="explore.keep", priority=True,
                tooltip="Keep the state in one session between runs, or no longer"),
        Binding("ctrl+f", "left", "What it left", id="explore.left", priority=True,
                tooltip="What the run showed and left: pictures, tables, files; save them"),
        Binding("ctrl+t", "snippets", "Tried", id="explore.snippets", priority=True,
                tooltip="What stood in the editor before: handed in, or replaced"),
    ]  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self._wishes = RequestOptions()
        self._case: Case | None = None
        self._session: Session | None = None

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
        yield Static(id="remark")
        yield Input(
            id="purpose", placeholder="What is it for? The reviewer reads this", select_on_focus=False
        )

    def on_mount(self) -> None:
        """Begin in the editor."""
        super().on_mount()
        self.query_one("#below").border_title = "Output"
        self.query_one(OutputLog).hint = "Write something, then press ctrl+r."
        self.set_border_title()
        self.query_one(Editor).focus()
        self._tick()
        self._judged(self._analysis)
        self.set_interval(0.5, self._tick)

    def set_border_title(self) -> None:
        """Say around the editor what is in it, and what is asked for."""
        editor = self.query_one(Editor)
        named = f"  {self.path.name}" if self.path else ""
        mode = f"  {editor.mode}" if editor.mode else ""
        editor.border_title = content(editor.code_language.value, Untrusted(named), (mode, "bold accent"))
        asked = f"asks for {self._wishes.many} more  " if self._wishes.many else ""
        how = "runs on save" if self.rerun else "followed: save it in your editor" if self.path else ""
        kept = f"keeps state in {self._session.id}  " if self._session else ""
        editor.border_subtitle = content(kept + asked + (how or "ctrl+r hands in and runs"))
        self.refresh_bindings()

    # --- handing in -------------------------------------------------------------------------------

    @work(exclusive=True, group="submit")
    async def action_submit(self) -> None:
        """Hand the code in and follow what becomes of it."""
        if not self.query_one(Editor).text.strip():
            self.notify("There is nothing to hand in yet.", severity="warning")
            return
        try:
            draft = await asyncio.to_thread(self._draft)
        except ValueError as error:
            self.notify(str(error), severity="error")
            return
        log, app = self.query_one(OutputLog), console_app(self)
        log.clear()
        await self.keep(
            SavedSnippet(at=now(), language=draft.language, code=draft.code, purpose=draft.purpose)
        )
        case = await app.connection.call(lambda client: client.submit(draft))
        if case is not None and (ended := await run_follow.follow(app, case, log, self._say)):
            self._say(ended)

    def _draft(self) -> Draft:
        editor, purpose = self.query_one(Editor), self.query_one("#purpose", Input).value
        asked, session = self._wishes, self._session.id if self._session else ""
        files = request_fields.read(asked.paths)
        return Draft(code=Untrusted(editor.text), language=editor.code_language, purpose=Untrusted(purpose),
                     permissions=asked.permissions, files=files, session=session, image=asked.image,
                     expect=asked.expect, verify=asked.verify)  # fmt: skip

    def _say(self, case: Case) -> None:
        self._case = case
        self._stand(case)
        self.refresh_bindings()

    def _stand(self, case: Case) -> None:
        self.query_one(OutputLog).hint = run_follow.hint(case)
        ending = self.query_one("#ending", Static)
        ending.update(paragraphs(run_follow.standing(case, outcome_line(case)), *run_follow.values(case)))
        ending.add_class("-said")

    def _tick(self) -> None:
        self.query_one(Editor).use_vim(console_app(self).preferences.vim)
        if self._case is not None and self._case.status in run_follow.OPEN and self.is_current:
            self._stand(self._case)

    def action_left(self) -> None:
        """Look at what the run showed and left."""
        from console.run.artifacts import ArtifactsScreen  # noqa: PLC0415  on its first use

        if self._case is not None and self._case.result is not None:
            self.app.push_screen(ArtifactsScreen(self._case.submission.id, self._case.result))

    # --- sessions -----------------------------------------------------------------------------

    @work(exclusive=True, group="keep")
    async def action_keep(self) -> None:
        """Open a session, or close the one there is."""
        session, self._session = self._session, None
        if session is None:
            language, image = self.query_one(Editor).code_language, self._wishes.image
            self._session = await kept(self, lambda client: client.create_session(language, image))
        else:
            await kept(self, lambda client: client.close_session(session.id))
        self.set_border_title()

    # --- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to leave the editor in it, to edit outside of it, and what a followed file allows."""
        if action == "edit":
            return self.focused is None
        if action == "leave":
            return self.focused is not None
        if action == "left":
            result = self._case.result if self._case else None
            return result is not None and bool(result.artifacts or result.displays)
        if action in {"rerun", "unfollow"}:
            return self.path is not None
        return True

    @work
    async def action_wish(self) -> None:
        """Change what the code may have."""
        from console.explore.request_form import RequestFormScreen  # noqa: PLC0415  on its first use

        asked = await self.app.push_screen_wait(RequestFormScreen(self._wishes))
        if asked is not None:
            self._wishes = asked
            self.set_border_title()

    @work
    async def action_snippets(self) -> None:
        """Choose from what was handed in before."""
        from console.explore.snippet_list import SnippetsScreen  # noqa: PLC0415  on its first use

        known = await asyncio.to_thread(snippets.load)
        chosen = await self.app.push_screen_wait(SnippetsScreen(known))
        if chosen is not None:
            await self.keep_typed()
            self.action_unfollow()
            editor = self.query_one(Editor)
            editor.code_language, editor.text = chosen.language, chosen.code.text
            self.query_one("#purpose", Input).value = chosen.purpose.text
            self.set_border_title()

    def action_language(self) -> None:
        """Go on to the next language."""
        editor, languages = self.query_one(Editor), list(Language)
        editor.code_language = languages[(languages.index(editor.code_language) + 1) % len(languages)]
        editor.colour()
        self.set_border_title()
        self.analyse()
        if self._session is not None:
            self.action_keep()

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
