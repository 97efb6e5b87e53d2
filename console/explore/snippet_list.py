"""The list of what was tried: search it, see its output, compare two runs, or open one in the editor."""

from __future__ import annotations

import contextlib
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from console.app.state import console_app
from console.code_view.view import CodeView
from console.explore.snippets import SavedSnippet
from console.safety.text import Part, clip, content, first_line, pad
from console.widgets.formatting import now, when
from console.widgets.rows import Rows
from engine.client.client import Client
from engine.common.text import Untrusted
from engine.models import Language

MOST_OUTPUT = 1 << 18
"""Bytes of a run's output that are shown; Run and History have all of it."""


RUN_WIDTH = 21
"""Cells of the run's id and the gap after it."""
MEDIUM = 90
"""Cells of a row that is wide enough for the id."""


class SnippetRows(Rows):
    """One row per snippet, newest first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = (
        [("No snippets.", "bold")],
        [],
        [("Code that you submit with ctrl+r is saved here, on this machine only.", "muted")],
    )

    def __init__(self, snippets: tuple[SavedSnippet, ...]) -> None:
        super().__init__(id="snippets")
        self._all = self._shown = snippets
        self.marked = ""
        """The run that is compared with another."""

    @property
    def count(self) -> int:
        """How many snippets are listed."""
        return len(self._shown)

    @property
    def chosen(self) -> SavedSnippet | None:
        """The snippet under the cursor."""
        return self._shown[self.cursor] if self._shown else None

    def search(self, words: str) -> None:
        """List the snippets that mention every word."""
        self._shown = tuple(each for each in self._all if each.mentions(words))
        self.refit()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw the mark, the time, the language, the run, and the purpose or the first line."""
        snippet = self._shown[index]
        about = snippet.purpose if snippet.purpose else first_line(snippet.code)
        at, language = when(snippet.at, now()), snippet.language.value
        mark: Part = ("*", "warning") if snippet.run and snippet.run == self.marked else " "
        room = RUN_WIDTH if width >= MEDIUM else 0
        return [" ", mark, (pad(at, 17), "muted"), (pad(language, 12), "primary"),
                (pad(snippet.run, room), "faint"), clip(about, max(0, width - 32 - room))]  # fmt: skip


class SnippetsScreen(ModalScreen["SavedSnippet | None"]):
    """Shows the snippets, and the selected one in full."""

    HELP_TITLE = "Snippets"
    HELP_WORDS = (
        "What was run from Explore on this machine, or replaced there, newest first. / searches code, "
        "purpose, language and run; o shows the output of a run; m marks a run and = compares it with "
        "another: code, output, observed effects, time and memory."
    )
    DEFAULT_CSS = """
    SnippetsScreen .sheet { width: 96%; height: 92%; }
    SnippetsScreen SnippetRows { height: 1fr; background: $surface; }
    SnippetsScreen CodeView { height: 2fr; border-top: solid $line; background: $surface; }
    SnippetsScreen Input { display: none; }
    SnippetsScreen Input.-open { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("/", "search", "Search", id="snippets.search", tooltip="Search what was tried"),
        Binding("o", "output", "Output", id="snippets.output", tooltip="Show the output, or the code again"),
        Binding("m", "mark", "Mark", id="snippets.mark", tooltip="Mark a run for a comparison"),
        Binding("equals_sign", "compare", "Compare", id="snippets.compare", key_display="=",
                tooltip="Compare the marked run with this one"),
        Binding("escape,q", "leave", "Back", id="snippets.leave", tooltip="Back to the editor"),
    ]  # fmt: skip

    def __init__(self, snippets: tuple[SavedSnippet, ...]) -> None:
        super().__init__()
        self._snippets = snippets
        self._output = False

    def compose(self) -> ComposeResult:
        """Lay out the list and the code."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Snippets"
            sheet.border_subtitle = content("Enter opens  / search  o output  m mark  = compare  Esc back")
            yield Input(placeholder="Words of code, purpose, language or run", select_on_focus=False)
            yield SnippetRows(self._snippets)
            yield CodeView(id="code")

    @property
    def _rows(self) -> SnippetRows:
        return self.query_one(SnippetRows)

    def on_mount(self) -> None:
        """Start at the newest."""
        self._rows.refit()
        self._rows.focus()
        self._preview()

    @on(SnippetRows.Moved)
    def _moved(self) -> None:
        self._preview()

    @on(SnippetRows.Chosen)
    def _chosen(self) -> None:
        self.dismiss(self._rows.chosen)

    @on(Input.Changed)
    def _typed(self, message: Input.Changed) -> None:
        self._rows.search(message.value)
        self._preview()

    @on(Input.Submitted)
    def _searched(self) -> None:
        self._rows.focus()

    def action_search(self) -> None:
        """Type what to search for."""
        self.query_one(Input).add_class("-open")
        self.query_one(Input).focus()

    def action_mark(self) -> None:
        """Mark the run under the cursor."""
        chosen = self._rows.chosen
        if chosen is None or not chosen.run:
            self.notify("This was not run.", severity="warning")
            return
        self._rows.marked = chosen.run
        self._rows.refresh()

    def action_compare(self) -> None:
        """Compare the marked run with the one under the cursor; without a mark, with the one before it."""
        chosen = self._rows.chosen
        earlier = self._rows.marked or self._run_before(chosen)
        if chosen is None or not chosen.run or not earlier:
            self.notify("Two runs are needed: mark one with m.", severity="warning")
            return
        from console.history.compare_runs import CompareRunsScreen  # noqa: PLC0415  on its first use

        self.app.push_screen(CompareRunsScreen(earlier, chosen.run))

    def _run_before(self, chosen: SavedSnippet | None) -> str:
        """Return the run that came before another one; nothing where there is none."""
        if chosen is None:
            return ""
        runs = [each.run for each in self._snippets if each.run]
        at = runs.index(chosen.run) + 1 if chosen.run in runs else len(runs)
        return runs[at] if at < len(runs) else ""

    def action_output(self) -> None:
        """Show the output of the run, or the code again."""
        self._output = not self._output
        self._preview()

    @work(exclusive=True, group="preview")
    async def _preview(self) -> None:
        snippet, view = self._rows.chosen, self.query_one(CodeView)
        if snippet is None:
            view.show(Untrusted(""), Language.SHELL, ())
        elif self._output and snippet.run:
            text = await console_app(self).connection.call(lambda client: _written(client, snippet.run))
            view.show(text or Untrusted("No output."), Language.SHELL, ())
        else:
            view.show(snippet.code, snippet.language, ())

    def action_leave(self) -> None:
        """Show everything again, or close without choosing."""
        field = self.query_one(Input)
        if not field.has_class("-open"):
            self.dismiss(None)
            return
        field.value = ""
        field.remove_class("-open")
        self._rows.focus()


async def _written(client: Client, run: str) -> Untrusted:
    """Return the first `MOST_OUTPUT` bytes that a run wrote."""
    data = b""
    if (await client.case(run)).started_at is not None:
        async with contextlib.aclosing(client.output(run)) as chunks:
            async for chunk in chunks:
                data += chunk.data
                if len(data) >= MOST_OUTPUT:
                    break
    return Untrusted(data[:MOST_OUTPUT].decode("utf-8", "replace"))
