"""The editor of Explore: a text area with syntax colours, violation marks and optional vim modes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.widgets import TextArea
from textual.widgets.text_area import Location, Selection

from console.app.textual_patches import node_bindings
from console.app.workers import run_in_background
from console.code_view.lines import Mark, marks_of, split_lines
from console.explore.editing.assistance import Assistance
from console.explore.editing.brackets import partner
from console.explore.editing.colours import EditedColours
from console.explore.editing.completion import completion
from console.explore.editing.error_message import GAP, UP, is_below, with_message, with_sign
from console.explore.editing.indentation import next_indentation, step_back, toggle_comments
from console.explore.editing.visible_line import one_for_one
from console.explore.files import dropped
from console.explore.vim import Vim, VimCommand
from console.theming.styles import style_of
from console.widgets.repaint import set_virtual_size
from engine.common.text import Untrusted
from engine.models import Language, Violation

NEW_LINE = ("enter", "ctrl+j")
"""ctrl+j is a line feed: what Enter sends in some terminals, and between lines that are pasted plainly."""
NO_MESSAGE = Untrusted("")


class Editor(TextArea):
    """Edits code; draws syntax colours and underlines violations."""

    @dataclass
    class ModeChanged(Message):
        """The vim mode changed to `editor.mode`."""

        editor: Editor

    @dataclass
    class FilesDropped(Message):
        """Files of this machine were dragged here; their names are in the text."""

        files: tuple[Path, ...]

    def __init__(self, *, id: str | None = None) -> None:
        self.assistance: Assistance | None = None
        self.pasted_whole: Callable[[str], None] = lambda _: None
        """Is called with a text that is pasted where there is none."""
        self.code_language = Language.PYTHON
        self._vim: Vim | None = None
        self._locked = False
        super().__init__("", id=id, classes="box", show_line_numbers=True, tab_behavior="indent",
                         soft_wrap=False, theme="css", highlight_cursor_line=True)  # fmt: skip
        self._colours = EditedColours()
        self._marks: dict[int, list[Mark]] = {}
        self._found: dict[int, list[tuple[int, int]]] = {}
        self.error_line: int | None = None
        """The line at which the last run failed, counted from 0."""
        self._error_message = NO_MESSAGE

    def mark_error(self, line: int | None, message: Untrusted = NO_MESSAGE) -> None:
        """Mark the line at which a run failed, with its message, or none."""
        self.error_line, self._error_message = line, message
        self._repaint()

    def mark(self, violations: tuple[Violation, ...]) -> None:
        """Underline violations."""
        self._marks = marks_of(violations, split_lines(self.text))
        self._repaint()

    def show_found(self, columns: dict[int, list[tuple[int, int]]]) -> None:
        """Mark what a search found: columns, by line."""
        if self._found or columns:
            self._found = columns
            self._repaint()

    def colour(self) -> None:
        """Compute the colours again: those of a long text once typing pauses."""
        if self._colours.edited(self.document.lines, self.code_language):
            run_in_background(self, self._colour_all, "colours")
        self._repaint()

    async def _colour_all(self) -> None:
        if await self._colours.all_of():
            self._repaint()

    # --- modes ------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """The vim mode, INSERT or NORMAL; empty without vim."""
        return "" if self._vim is None else "INSERT" if self._vim.inserting else "NORMAL"

    def use_vim(self, enabled: bool) -> None:
        """Turn vim modes on, starting in normal mode, or off."""
        if enabled != (self._vim is not None):
            self._vim = Vim() if enabled else None
            self._changed_mode()

    @property
    def locked(self) -> bool:
        """Whether the text can only be read."""
        return self._locked

    def set_locked(self, locked: bool) -> None:
        """Make the text read-only, or editable again."""
        self._locked = locked
        if locked and self._vim is not None:
            self._vim.inserting = False
        self._changed_mode()

    def _changed_mode(self) -> None:
        self.read_only = self._locked or self.mode == "NORMAL"
        self.post_message(self.ModeChanged(self))

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Consume every character in vim's normal mode, too, before the screen's keys."""
        typed = character is not None and character.isprintable()
        return (typed and self._vim is not None) or super().check_consume_key(key, character)

    async def on_key(self, event: events.Key) -> None:
        """Handle a key of the editor itself, and a key in vim's modes."""
        vim = self._vim
        if self.assistance and self.assistance.take_key(event.key):
            event.stop()
            event.prevent_default()
            return
        if event.key in NEW_LINE and not self.read_only:
            self._new_line()
            event.stop()
            event.prevent_default()
            return
        if vim is None or (vim.inserting and event.key != "escape"):
            await self._do_at_once(event)
            return
        if event.key == "escape" and not vim.idle:
            self._do(vim.leave(self.cursor_location))
        elif event.is_printable and event.character:
            self._do(vim.press(event.character, self.document.lines, self.cursor_location,
                               locked=self._locked))  # fmt: skip
        else:
            return
        event.stop()
        event.prevent_default()

    def _new_line(self) -> None:
        """Begin a line, indented as the one before or further."""
        start, end = self.selection
        line, column = min(start, end)
        before = self.document.get_line(line)[:column]
        blanks = next_indentation(before, self.code_language)
        self.replace("\n" + blanks, start, end, maintain_selection_offset=False)

    def action_delete_left(self) -> None:
        """Delete what is selected, or what is before the cursor: of an indentation one level."""
        line, column = self.cursor_location
        taken = step_back(self.document.get_line(line)[:column], self.code_language)
        if self.read_only or not self.selection.is_empty or taken == 1:
            super().action_delete_left()
        else:
            self._delete_via_keyboard((line, column - taken), (line, column))

    async def _do_at_once(self, event: events.Key) -> None:
        """Do what a key of the editor does before the next key is handled.

        Textual passes such a key up to the app first: a letter that was typed behind it would overtake it.
        """
        for binding in node_bindings(self):
            if binding.key == event.key:
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return

    def update_suggestion(self) -> None:
        """Suggest how the word at the cursor goes on; the right arrow takes it."""
        line, column = self.cursor_location
        text = self.document.get_line(line) if line < self.document.line_count else ""
        usable = self.selection.is_empty and not self.read_only
        self.suggestion = (
            completion(self.text, text[:column], text[column:], self.code_language) if usable else ""
        )

    def _watch_selection(self, previous: Selection, selection: Selection) -> None:
        super()._watch_selection(previous, selection)
        self.update_suggestion()
        if self.assistance:
            self.assistance.moved()

    def toggle_comments(self) -> None:
        """Make the selected lines comments, or code again."""
        if self.read_only:
            return
        first, last = (place[0] for place in sorted(self.selection))
        lines = [self.document.get_line(line) for line in range(first, last + 1)]
        text = "\n".join(toggle_comments(lines, self.code_language))
        self.replace_in_one_step(text, (first, 0), (last, len(lines[-1])))

    def replace_in_one_step(self, text: str, start: Location, end: Location) -> None:
        """Replace a part of the text; one undo takes back this and nothing else."""
        self.history.checkpoint()
        self.replace(text, start, end, maintain_selection_offset=False)
        self.history.checkpoint()

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        """Return the place of the bracket that belongs to the one at `search_from`."""
        return partner(self.document.lines, search_from)

    def go_to_bracket(self) -> None:
        """Move to the bracket that belongs to the one at the cursor, or before it."""
        line, column = self.cursor_location
        for place in ((line, column), (line, column - 1)):
            if place[1] >= 0 and (other := partner(self.document.lines, place)) is not None:
                self.move_cursor(other, center=True)
                return

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Tell where the mouse is."""
        if self.assistance and not event.button:
            self.assistance.hovered(self.get_target_document_location(event), event.screen_offset)

    def on_paste(self, event: events.Paste) -> None:
        """Put names in place of the paths of files; tell who may guess the language of a whole text."""
        if not self.read_only and (files := dropped.files(event.text)):
            event.prevent_default()
            before = self.document.get_line(self.cursor_location[0])[: self.cursor_location[1]]
            self.replace_in_one_step(dropped.as_code(files, before, self.code_language), *self.selection)
            self.post_message(self.FilesDropped(files))
        elif not self.read_only and not self.text.strip():
            self.pasted_whole(event.text)

    async def settled(self) -> None:
        """Wait until all keys and pastes that came before this call are in the text."""
        done = asyncio.Event()
        if self.call_later(done.set):
            await done.wait()

    def _do(self, command: VimCommand) -> None:
        if command.edit is not None:
            text, start, end = command.edit
            self.history.checkpoint()
            self.replace(text, start, end, maintain_selection_offset=False)
        for _ in range(command.undo):
            self.undo()
        if command.cursor is not None:
            self.move_cursor(command.cursor)
        if self.read_only is (self.mode == "INSERT"):
            self._changed_mode()

    def _refresh_size(self) -> None:
        """Measure the text anew, with the cursor inside it.

        Textual scrolls to the cursor here before undo has moved it, which may be beyond the end of the text.
        """
        start, end = self.selection
        self.set_reactive(TextArea.selection, Selection(self._inside(start), self._inside(end)))
        width, height = self.document.get_size(self.indent_width)
        set_virtual_size(self, Size(width + self.gutter_width + 1, height))
        self._refresh_scrollbars()

    def _inside(self, location: Location) -> Location:
        line = min(location[0], self.document.line_count - 1)
        return line, min(location[1], len(self.document.get_line(line)))

    # --- drawing ----------------------------------------------------------------------------------

    def _repaint(self) -> None:
        self._line_cache.clear()
        self.refresh()

    def _render_line(self, y: int) -> Strip:
        """Draw a row, which is a line: none is wrapped."""
        strip, line = super()._render_line(y), self.error_line
        row, gutter = y + self.scroll_offset.y, self.gutter_width
        if line is None or not line <= row <= line + 1:
            return strip
        style, message = style_of(self, "bold error on background"), self._error_message.text
        below = is_below(self._error_message, *(self._room(each, strip) for each in (line, line + 1)))
        if row == line:
            return with_message(with_sign(strip, gutter, style), "" if below else message, gutter, style)
        return with_message(strip, UP + message, gutter, style) if below else strip

    def _room(self, row: int, strip: Strip) -> int:
        """Return how many cells there are behind the text of a row; `strip` is one that was drawn."""
        text = self.document.get_line(row) if row < self.document.line_count else ""
        used = cell_len(one_for_one(text).expandtabs(self.indent_width)) - self.scroll_offset.x
        return strip.cell_length - self.gutter_width - max(0, used) - GAP

    def get_line(self, line_index: int) -> Text:
        """Return a line with its colours, every character made visible."""
        line = Text(one_for_one(self.document.get_line(line_index)), end="", no_wrap=True)
        if line_index < len(self._colours.tokens):
            for start, end, name in self._colours.tokens[line_index]:
                line.stylize(style_of(self, name), start, end)
        for found in self._marks.get(line_index, ()):
            line.stylize(style_of(self, f"underline on mark-{found.level.value}"), found.start, found.end)
        for start, end in self._found.get(line_index, ()):
            line.stylize(style_of(self, "reverse"), start, end)
        if line_index == self.error_line:
            line.stylize(style_of(self, "on mark-critical"))
        return line
