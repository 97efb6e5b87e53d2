"""The list of snippets: choose one to open it in the editor."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.code_view.view import CodeView
from console.explore.snippets import SavedSnippet
from console.safety.text import Part, clip, content, first_line, pad
from console.widgets.formatting import now, when
from console.widgets.rows import Rows


class SnippetRows(Rows):
    """One row per snippet, newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No snippets yet.", "bold")],
        [],
        [("Code that you submit with ctrl+r is saved here, on this machine only.", "muted")],
    )

    def __init__(self, snippets: tuple[SavedSnippet, ...]) -> None:
        super().__init__(id="snippets")
        self._snippets = snippets

    @property
    def count(self) -> int:
        """How many snippets there are."""
        return len(self._snippets)

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw the time, the language, and the purpose or the first line."""
        snippet = self._snippets[index]
        about = snippet.purpose if snippet.purpose else first_line(snippet.code)
        at, language = when(snippet.at, now()), snippet.language.value
        return [" ", (pad(at, 17), "muted"), (pad(language, 12), "primary"), clip(about, width - 31)]


class SnippetsScreen(ModalScreen["SavedSnippet | None"]):
    """Shows the snippets, and the selected one in full."""

    HELP_TITLE = "Snippets"
    HELP_WORDS = "Code that was submitted from Explore on this machine, or replaced there, newest first."
    DEFAULT_CSS = """
    SnippetsScreen .sheet { width: 96%; height: 92%; }
    SnippetsScreen SnippetRows { height: 1fr; background: $surface; }
    SnippetsScreen CodeView { height: 2fr; border-top: solid $line; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Back", id="snippets.leave", tooltip="Back to the editor"),
    ]

    def __init__(self, snippets: tuple[SavedSnippet, ...]) -> None:
        super().__init__()
        self._snippets = snippets

    def compose(self) -> ComposeResult:
        """Lay out the list and the code."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Snippets"
            sheet.border_subtitle = content("Enter opens  Esc back")
            yield SnippetRows(self._snippets)
            yield CodeView(id="code")

    def on_mount(self) -> None:
        """Start at the newest."""
        rows = self.query_one(SnippetRows)
        rows.refit()
        rows.focus()
        self._preview(0)

    @on(SnippetRows.Moved)
    def _moved(self, message: SnippetRows.Moved) -> None:
        self._preview(message.index)

    @on(SnippetRows.Chosen)
    def _chosen(self, message: SnippetRows.Chosen) -> None:
        self.dismiss(self._snippets[message.index])

    def _preview(self, index: int) -> None:
        if self._snippets:
            snippet = self._snippets[index]
            self.query_one(CodeView).show(snippet.code, snippet.language, ())

    def action_leave(self) -> None:
        """Close without choosing."""
        self.dismiss(None)
