"""The Explore screen: write code, see its violations while typing, submit it and see what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.containers import Container
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.explore import file_watch, own_decision, request_fields, run_follow, snippets
from console.explore.bindings import BINDINGS, HELP_WORDS
from console.explore.cells.notebooks import SUFFIX, Notebooks
from console.explore.draft_keeper import DraftKeeper, Left
from console.explore.editing.language import detected
from console.explore.editing.tab_bar import TabBar
from console.explore.editing.tabs import MOST_TABS, Tabs
from console.explore.editor import Editor
from console.explore.error_marks import ErrorMarks
from console.explore.find.bar import FindBar
from console.explore.followed_file import FollowedFile
from console.explore.live_analysis import LiveAnalysis
from console.explore.request_fields import RequestOptions
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText
from console.review.violations import ViolationDetail, ViolationList
from console.run.output_log import OutputLog
from console.run.result_text import has_artifacts, outcome_line
from console.safety.text import content, paragraphs
from engine.common.text import Untrusted, many
from engine.models import Analysis, Case, Draft, Language


class ExploreScreen(BaseScreen):
    """Edits, analyses and submits code."""

    NAME = "explore"
    CSS_PATH = "explore.tcss"
    HELP_TITLE = "Explore"
    HELP_WORDS = HELP_WORDS
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS

    def __init__(self) -> None:
        super().__init__()
        self._analysis = LiveAnalysis(self)
        self._errors = ErrorMarks(self)
        self._text = TypedText(self)
        self._file = FollowedFile(self, self._update_title, self._submit_saved)
        self._drafts = DraftKeeper(self, self._text, self._adopt)
        self._tabs = Tabs(self._text, self._drafts, self._file, self._update_title)
        self._options = RequestOptions()
        self._case: Case | None = None
        self._session = OpenSession(self)
        self._notebooks = Notebooks(self, self._text, self._drafts, self._session)
        self._changed_at = asyncio.get_running_loop().time()
        """When the text last changed."""

    def contents(self) -> Iterable[Widget]:
        """Lay out editor, violations and output."""
        with Container(id="work"):
            yield TabBar()
            yield Editor(id="editor")
        with Container(id="side"):
            yield ViolationList(id="violations")
            yield ViolationDetail(id="detail")
        with Container(id="below", classes="box"):
            yield Static(id="status")
            yield OutputLog(id="output")

    def below(self) -> Iterable[Widget]:
        """Lay out the lines for a violation, for the purpose, and for finding."""
        yield Static(id="violation-line")
        yield Input(id="purpose", placeholder="Purpose, for the reviewer", select_on_focus=False)
        yield FindBar()

    def on_mount(self) -> None:
        """Start in the editor."""
        super().on_mount()
        self._text.attach()
        self.query_one("#below").border_title = "Output"
        self.query_one(OutputLog).hint = "Write code, then press ctrl+r."
        self._update_title()
        self.query_one(Editor).focus()
        self._tick()
        self._analysis.show(Analysis())
        self.set_interval(0.5, self._tick)
        self._drafts.start()

    def on_unmount(self) -> None:
        """Save what is in the editor."""
        self._drafts.stop()

    def _update_title(self) -> None:
        """Show around the editor what it holds and what is requested."""
        editor, path = self.query_one(Editor), self._file.path
        name = f"  {path.name}" if path else ""
        mode = f"  {editor.mode}" if editor.mode else ""
        editor.border_title = content(editor.code_language.value, Untrusted(name), (mode, "bold accent"))
        requests = f"{many(self._options.count, 'extra permission')}  " if self._options.count else ""
        known = self._session.id_for(editor.code_language)
        session = f"session {known}  " if known else ""
        following = "following; save it in your editor" if path else "ctrl+r runs it"
        how = "runs on save" if self._file.run_on_save else following
        editor.border_subtitle = content(session + requests + how)
        self._show_tabs()
        self.refresh_bindings()

    def _show_tabs(self) -> None:
        self.query_one(TabBar).show(self._tabs.names, self._tabs.active)

    # --- while typing -----------------------------------------------------------------------------

    @on(Editor.ModeChanged)
    def _mode_changed(self) -> None:
        self._update_title()

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._changed_at = asyncio.get_running_loop().time()
        self.query_one(Editor).colour()
        self._analysis.start()
        self._errors.clear()
        self.query_one(FindBar).text_changed()
        self._show_tabs()
        if self._file.path is None:
            self._drafts.changed()

    @on(Editor.PastedWhole)
    def _pasted(self, message: Editor.PastedWhole) -> None:
        if self._session.current is None and (language := detected(message.text)):
            self.query_one(Editor).code_language = language
            self._update_title()

    @on(ViolationList.Moved)
    def _violation_selected(self, message: ViolationList.Moved) -> None:
        self._analysis.select(message.index)

    # --- submitting -------------------------------------------------------------------------------

    def action_submit(self) -> None:
        """Run the code by the author's key."""
        self._submit(by_key=True)

    def _submit_saved(self) -> None:
        self._submit(by_key=False)

    @work(exclusive=True, group="submit")
    async def _submit(self, *, by_key: bool) -> None:
        """Submit the code, decide about it, and follow it until it ends."""
        if not self.query_one(Editor).text.strip():
            self.notify("There is no code to submit.", severity="warning")
            return
        try:
            draft = await asyncio.to_thread(self._draft)
        except ValueError as error:
            self.notify(str(error), severity="error")
            return
        log, app = self.query_one(OutputLog), console_app(self)
        log.clear()
        typed = self._text.current
        await self._text.save(typed)
        case = await app.connection.call(lambda client: client.submit(draft))
        if case is not None:
            await self._text.save(typed, run=case.submission.id)
            case = await own_decision.decide(app, case, self._unchanged_seconds(), by_key=by_key)
        if case is not None and (ended := await run_follow.follow(app, case, log, self._show)):
            self._errors.show(draft.code.text, ended.result, log.lines())
            self._show(ended)

    def _unchanged_seconds(self) -> float:
        return asyncio.get_running_loop().time() - self._changed_at

    def _draft(self) -> Draft:
        editor, purpose = self.query_one(Editor), self.query_one("#purpose", Input).value
        options, session = self._options, self._session.id_for(editor.code_language)
        files = request_fields.read(options.paths)
        return Draft(code=Untrusted(editor.text), language=editor.code_language, purpose=Untrusted(purpose),
                     permissions=options.permissions, files=files, session=session, image=options.image,
                     expect=options.expect, verify=options.verify)  # fmt: skip

    def _show(self, case: Case) -> None:
        self._case = case
        self._show_status(case)
        self.refresh_bindings()

    def _show_status(self, case: Case) -> None:
        self.query_one(OutputLog).hint = run_follow.output_hint(case)
        status = self.query_one("#status", Static)
        line = run_follow.status_line(case, outcome_line(case))
        status.update(paragraphs(line, *self._errors.sentence(), *run_follow.display_lines(case)))
        status.add_class("-said")

    def _tick(self) -> None:
        self.query_one(Editor).use_vim(console_app(self).preferences.vim)
        if self._case is not None and self._case.status in run_follow.OPEN and self.is_current:
            self._show_status(self._case)

    # --- finding ----------------------------------------------------------------------------------

    def action_find(self) -> None:
        """Find and replace."""
        self.query_one(FindBar).open()

    def action_line(self) -> None:
        """Go to a line by its number."""
        self.query_one(FindBar).open(line=True)

    def action_bracket(self) -> None:
        """Go to the bracket that belongs to the one at the cursor."""
        self.query_one(Editor).go_to_bracket()

    def action_comment(self) -> None:
        """Make the selected lines comments, or code again."""
        self.query_one(Editor).toggle_comments()

    def action_error(self) -> None:
        """Go to the line that failed, or to its next caller."""
        self._errors.visit()

    def action_artifacts(self) -> None:
        """Show the artifacts of the run."""
        from console.run.artifacts import ArtifactsScreen  # noqa: PLC0415  on its first use

        if self._case is not None and self._case.result is not None:
            self.app.push_screen(ArtifactsScreen(self._case.submission.id, self._case.result))

    @work
    async def action_permissions(self) -> None:
        """Change the requested permissions."""
        from console.explore.request_form import RequestFormScreen  # noqa: PLC0415  on its first use

        options = await self.app.push_screen_wait(RequestFormScreen(self._options))
        if options is not None:
            self._options = options
            self._update_title()

    @work(exclusive=True, group="session")
    async def action_session(self) -> None:
        """Open a session, or close the open one."""
        if self._session.current is None:
            await self._session.open(self.query_one(Editor).code_language, self._options.image)
        else:
            await self._session.close()
        self._update_title()

    # --- cells ------------------------------------------------------------------------------------

    @work
    async def action_cells(self, run: bool) -> None:
        """Show the cells, and run the one at the cursor if `run`."""
        await self._notebooks.show(self._options.image, run=run)
        self._update_title()

    # --- tabs -------------------------------------------------------------------------------------

    def _adopt(self, left: list[Left]) -> None:
        self._tabs.adopt(left)

    async def action_tab_new(self) -> None:
        """Show an empty tab."""
        if not await self._tabs.new():
            self.notify(f"{MOST_TABS} tabs are open. F4 closes one.", severity="warning")

    async def action_tab(self, step: int) -> None:
        """Show the next tab, or the one before."""
        await self._tabs.go(step)

    async def action_tab_close(self) -> None:
        """Close the tab; its text stays among the snippets."""
        self._notebooks.forget()
        await self._tabs.close()

    @on(TabBar.Chosen)
    async def _tab_chosen(self, message: TabBar.Chosen) -> None:
        await self._tabs.show(message.index)

    # --- files and snippets -----------------------------------------------------------------------

    @work
    async def action_open(self) -> None:
        """Open a file and follow it."""
        from console.explore.open_file import OpenScreen  # noqa: PLC0415  on its first use

        start = self._file.path.parent if self._file.path else Path.cwd()
        path = await self.app.push_screen_wait(OpenScreen(start))
        if path is None:
            return
        await self._save_typed()
        try:
            if path.suffix == SUFFIX:
                await self._notebooks.open(path)
            else:
                self._file.follow(path, await asyncio.to_thread(file_watch.read, path))
        except ValueError as error:
            self.notify(str(error), severity="error")
        self._update_title()

    def action_run_on_save(self) -> None:
        """Submit the followed file whenever it is saved, or no longer."""
        self._file.toggle_run_on_save()

    def action_unfollow(self) -> None:
        """Stop following the file and edit its text here."""
        self._file.stop()

    @work
    async def action_snippets(self) -> None:
        """Choose code that was in the editor before."""
        from console.explore.snippet_list import SnippetsScreen  # noqa: PLC0415  on its first use

        saved = await asyncio.to_thread(snippets.load)
        chosen = await self.app.push_screen_wait(SnippetsScreen(saved))
        if chosen is not None:
            await self._save_typed()
            self._file.stop()
            self._text.replace(chosen)
            self._update_title()

    async def _save_typed(self) -> None:
        """Save what was typed before it is replaced."""
        self._notebooks.forget()
        if self._file.path is None:
            await self._text.save()

    # --- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that do something now."""
        if action == "edit":
            return self.focused is None
        if action == "leave":
            return self.focused is not None
        if action == "error":
            return self._errors.found
        if action == "artifacts":
            return self._case is not None and has_artifacts(self._case.result)
        if action in {"run_on_save", "unfollow"}:
            return self._file.path is not None
        return True

    def action_language(self) -> None:
        """Switch to the next language."""
        editor, languages = self.query_one(Editor), list(Language)
        editor.code_language = languages[(languages.index(editor.code_language) + 1) % len(languages)]
        editor.colour()
        self._update_title()
        self._analysis.start()
        if self._session.current is not None:
            self.action_session()

    def action_purpose(self) -> None:
        """Go to the line for the purpose."""
        self.query_one("#purpose").focus()

    @on(Input.Submitted, "#purpose")
    def action_edit(self) -> None:
        """Go back to the editor."""
        self.query_one(Editor).focus()

    def action_leave(self) -> None:
        """Leave the focused widget."""
        self.set_focus(None)
