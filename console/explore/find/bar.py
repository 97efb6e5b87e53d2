"""The line below the editor in which one types what to find and what to replace it by, or a line number."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widgets import Input, Static

from console.explore.editor import Editor
from console.explore.find.finder import Finder
from console.explore.find.places import typed_location
from console.safety.text import Part, content

LINE_CLASS = "-line"
OPEN_CLASS = "-open"
LONGEST_BEGIN = 200
LOCKED = "The text cannot be changed: it is a file that is followed. ctrl+e edits it here."


class FindBar(Horizontal):
    """Finds and replaces in the editor; with the class `-line`, goes to a line."""

    DEFAULT_CSS = """
    FindBar { height: 1; display: none; background: $surface; }
    FindBar.-open { display: block; }
    FindBar Input { height: 1; border: none; width: 1fr; background: $surface; }
    FindBar #found { width: auto; max-width: 40; padding: 0 1; color: $muted; }
    FindBar.-line #replacement { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Next", id="find.next", tooltip="Go to the next match"),
        Binding("up", "step(-1)", "Previous", id="find.previous", tooltip="Go to the previous match"),
        Binding("ctrl+a", "replace_all", "Replace all", id="find.replace-all", priority=True,
                tooltip="Replace every match; one undo takes it back"),
        Binding("escape", "close", "Close", id="find.close", tooltip="Go back to the editor"),
    ]  # fmt: skip

    _editor: Editor
    _finder: Finder

    def compose(self) -> ComposeResult:
        """Lay out both fields, and what was found."""
        yield Input(id="find", select_on_focus=True)
        yield Input(id="replacement", placeholder="Replace by", select_on_focus=True)
        yield Static(id="found")

    def on_mount(self) -> None:
        """Find the editor."""
        self._editor = self.screen.query_one(Editor)
        self._finder = Finder(self._editor)

    @property
    def _finding(self) -> bool:
        return self.has_class(OPEN_CLASS) and not self.has_class(LINE_CLASS)

    @property
    def _typed(self) -> str:
        return self.query_one("#find", Input).value

    def open(self, *, line: bool = False) -> None:
        """Ask for words, at first those that are selected, or for the number of a line."""
        field, selected = self.query_one("#find", Input), self._editor.selected_text
        self.add_class(OPEN_CLASS)
        self.set_class(line, LINE_CLASS)
        field.placeholder = "Line, or line:column" if line else "Find; /…/ is a regular expression"
        if line:
            field.value = ""
        elif selected and "\n" not in selected:
            field.value = selected[:LONGEST_BEGIN]
        field.focus()
        self._search()

    def text_changed(self) -> None:
        """Find again."""
        if self._finding:
            self._search()

    @on(Input.Changed, "#find")
    def _search(self) -> None:
        self._finder.search(self._typed if self._finding else "")
        self._say(self._finder.sentence())

    def _say(self, parts: list[Part]) -> None:
        self.query_one("#found", Static).update(content(*parts))

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        if not self._finding:
            self._go_to_line()
        elif event.input.id == "find":
            self.action_step(1)
        elif self._changeable():
            self._finder.replace(event.value)
            self._say(self._finder.sentence())

    def _go_to_line(self) -> None:
        place = typed_location(self._typed)
        if place is None:
            self._say([("that is no line", "error")])
            return
        self.action_close()
        self._editor.move_cursor(self._editor.clamp_visitable(place), center=True)

    def action_step(self, step: int) -> None:
        """Go to another match."""
        self._finder.step(step)
        self._say(self._finder.sentence())

    def action_replace_all(self) -> None:
        """Replace every match."""
        if self._finding and self._changeable():
            count = self._finder.replace_all(self.query_one("#replacement", Input).value)
            self._say(self._finder.sentence())
            self.notify(f"{count:,} replaced; ctrl+z takes it back" if count else "Nothing was found.")

    def _changeable(self) -> bool:
        if self._editor.locked:
            self.notify(LOCKED, severity="warning")
        return not self._editor.locked

    def action_close(self) -> None:
        """Go back to the editor."""
        self.remove_class(OPEN_CLASS)
        self._finder.search("")
        self._editor.focus()
