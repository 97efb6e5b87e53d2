"""The Explore screen: write code, see its violations while typing, submit it and see what it does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.widget import Widget
from textual.widgets import Input, TextArea

from console.app.base_screen import BaseScreen
from console.app.state import console_app
from console.explore import layout
from console.explore.bindings import BINDINGS, HELP_WORDS
from console.explore.captions import caption
from console.explore.cells.notebooks import Notebooks
from console.explore.draft_keeper import DraftKeeper
from console.explore.editing.language import detected
from console.explore.editing.tab_bar import TabBar
from console.explore.editing.tabs import MOST_TABS, Tabs
from console.explore.editor import Editor
from console.explore.error_marks import ErrorMarks
from console.explore.files.attaching import Attaching
from console.explore.files.replacing import Replacing
from console.explore.find.bar import FindBar
from console.explore.followed_file import FollowedFile
from console.explore.live_analysis import LiveAnalysis
from console.explore.names.assistant import NameAssistant
from console.explore.preview.server_preview import ServerPreview
from console.explore.running.submitted import How, Submitted
from console.explore.sessions import OpenSession
from console.explore.typed_text import TypedText
from console.explore.workspace.opened import SandboxFiles
from console.review.violations import ViolationList
from console.run.output_log import OutputLog
from engine.models import Analysis, Language


class ExploreScreen(BaseScreen):
    """Edits, analyses and submits code."""

    NAME = "explore"
    CSS_PATH = "explore.tcss"
    HELP_TITLE = "Explore"
    HELP_WORDS = HELP_WORDS
    BINDINGS: ClassVar[list[BindingType]] = BINDINGS
    QUEUE_SECONDS = 0.3

    def __init__(self) -> None:
        super().__init__()
        self._analysis = LiveAnalysis(self)
        self._names = NameAssistant(self)
        self._errors = ErrorMarks(self)
        self._text = TypedText(self)
        self._file = FollowedFile(self, self._update_title, lambda: self._submitted.submit(How.SAVED))
        self._drafts = DraftKeeper(self, self._text)
        self._tabs = Tabs(self._text, self._drafts, self._file, self._update_title)
        self._session = OpenSession(self)
        preview = ServerPreview(self, self._session)
        self._submitted = Submitted(self, self._text, self._errors, self._session, preview)
        self._notebooks = Notebooks(self, self._text, self._drafts, self._session, preview)
        self._attaching = Attaching(self, self._submitted, self._update_title)
        self._sandbox_files = SandboxFiles(
            self, self._text, self._tabs, self._session, lambda: self._submitted.running
        )
        self._replacing = Replacing(self, self._text, self._file, self._notebooks, self._update_title)

    def contents(self) -> Iterable[Widget]:
        """Lay out editor, violations and output."""
        return layout.contents()

    def below(self) -> Iterable[Widget]:
        """Lay out the lines for a violation, for the purpose, and for finding."""
        return layout.below()

    def on_mount(self) -> None:
        """Start in the editor."""
        super().on_mount()
        self._text.attach()
        self._names.attach()
        self.query_one(Editor).pasted_whole = self._pasted
        self._update_title()
        self.query_one(Editor).focus()
        self._tick()
        self._analysis.show(Analysis())
        self.set_interval(0.5, self._tick)
        self._drafts.start(self._tabs.adopt)

    def on_unmount(self) -> None:
        """Save what is in the editor."""
        self._drafts.stop()

    def _update_title(self) -> None:
        """Show around the editor what it holds and what is requested."""
        editor = self.query_one(Editor)
        session = self._session.id_for(editor.code_language)
        caption(editor, self._file, session, self._submitted.options.count)
        self.query_one(TabBar).show(self._tabs.names, self._tabs.active)
        self.refresh_bindings()

    # --- while typing -----------------------------------------------------------------------------

    @on(Editor.ModeChanged)
    def _mode_changed(self) -> None:
        self._update_title()

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._submitted.code_changed()
        self.query_one(Editor).colour()
        self._names.typed()
        self._analysis.start()
        self._errors.clear()
        self.query_one(FindBar).text_changed()
        self.query_one(TabBar).show(self._tabs.names, self._tabs.active)
        if self._file.path is None:
            self._drafts.changed()

    @on(Input.Changed, "#purpose")
    def _purpose_typed(self) -> None:
        if self._file.path is None:
            self._drafts.changed()

    def action_explain(self) -> None:
        """Show what the name at the cursor is."""
        self._names.explain()

    def _pasted(self, text: str) -> None:
        if self._session.current is None and (language := detected(text)):
            self.query_one(Editor).code_language = language
            self._update_title()

    @on(ViolationList.Moved)
    def _violation_selected(self, message: ViolationList.Moved) -> None:
        self._analysis.select(message.index)

    # --- submitting -------------------------------------------------------------------------------

    def action_submit(self) -> None:
        """Run the code by the author's key."""
        self._submitted.submit(How.KEY)

    def action_review(self) -> None:
        """Submit the code for a reviewer, with its purpose."""
        self._submitted.submit_for_review()

    def _tick(self) -> None:
        self.query_one(Editor).use_vim(console_app(self).preferences.vim)
        self._submitted.refresh()

    @work
    async def action_permissions(self) -> None:
        """Change the requested permissions."""
        await self._submitted.ask_permissions()
        self._names.image = self._submitted.options.image
        self._update_title()

    @work(group="preview")
    async def action_preview(self) -> None:
        """Show the server of the run, or of the session, in a browser."""
        await self._submitted.preview()

    def action_artifacts(self) -> None:
        """Show the artifacts of the run."""
        self._submitted.show_artifacts()

    def action_find(self, line: bool) -> None:
        """Find and replace, or go to a line by its number."""
        self.query_one(FindBar).open(line=line)

    def action_bracket(self) -> None:
        """Go to the bracket that belongs to the one at the cursor."""
        self.query_one(Editor).go_to_bracket()

    def action_comment(self) -> None:
        """Make the selected lines comments, or code again."""
        self.query_one(Editor).toggle_comments()

    def action_error(self) -> None:
        """Go to the line that failed, or to its next caller."""
        self._errors.visit()

    @on(OutputLog.LineClicked)
    def _output_clicked(self, message: OutputLog.LineClicked) -> None:
        self._errors.follow(message.text)

    @work(exclusive=True, group="session")
    async def action_session(self) -> None:
        """Open a session, or close the open one."""
        await self.query_one(Editor).settled()
        await self._session.toggle(self.query_one(Editor).code_language, self._submitted.options.image)
        self._update_title()

    @work(exclusive=True, group="view")
    async def action_cells(self, run: bool) -> None:
        """Show the cells, and run the one at the cursor if `run`."""
        await self._notebooks.show(self._submitted.options.image, run=run)
        self._update_title()

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
        await self._replacing.open_file()

    @work
    async def action_snippets(self) -> None:
        """Choose code that was in the editor before."""
        await self._replacing.choose_snippet()

    @work(group="attach")
    async def action_attach(self) -> None:
        """Attach a file of this machine to what is submitted."""
        await self._attaching.ask()

    @on(Editor.FilesDropped)
    async def _files_dropped(self, message: Editor.FilesDropped) -> None:
        await self._attaching.attach(message.files)

    @work(exclusive=True, group="workspace")
    async def action_workspace(self) -> None:
        """Show the files in the sandbox."""
        await self._sandbox_files.show()
        self._update_title()

    @work(exclusive=True, group="workspace")
    async def action_save_back(self) -> None:
        """Save the file of this tab in the sandbox that it came from."""
        await self._sandbox_files.save()

    def action_run_on_save(self) -> None:
        """Submit the followed file whenever it is saved, or no longer."""
        self._file.toggle_run_on_save()

    def action_unfollow(self) -> None:
        """Stop following the file and edit its text here."""
        self._file.stop()

    # --- keys -------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the keys that do something now."""
        match action:
            case "edit" | "leave":
                return (self.focused is None) is (action == "edit")
            case "error":
                return self._errors.found
            case "artifacts":
                return self._submitted.has_artifacts
            case "save_back":
                return self._sandbox_files.current is not None
            case "run_on_save" | "unfollow":
                return self._file.path is not None
        return True

    def action_language(self) -> None:
        """Switch to the next language."""
        editor, languages = self.query_one(Editor), list(Language)
        editor.code_language = languages[(languages.index(editor.code_language) + 1) % len(languages)]
        editor.colour()
        self._names.prepare()
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
