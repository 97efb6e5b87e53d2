"""The input files of a submission, byte for byte."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from console.code_view.view import CodeView
from console.safety.text import Part, content
from console.theming.highlight import language_of
from console.widgets.formatting import size
from engine.common.text import Untrusted
from engine.models import InputFile

SHOWN_BYTES = 512 * 1024


class FilesScreen(ModalScreen[frozenset[int]]):
    """Shows one input file at a time, every byte visible; returns the indexes of those that were read whole.

    Which lines of a file were displayed is kept in `read`, for the next time.
    """

    AUTO_FOCUS = "#file"
    DEFAULT_CSS = """
    FilesScreen .sheet { width: 96%; height: 92%; }
    FilesScreen #about { height: 2; }
    FilesScreen CodeView { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "space",
            "read_on",
            "Read on",
            id="files.read-on",
            priority=True,
            tooltip="Page down; at the end, the next file that was not read whole",
        ),
        Binding("n", "file(1)", "Next", id="files.next", tooltip="Next file"),
        Binding("p", "file(-1)", "Previous", id="files.previous", tooltip="Previous file"),
        Binding("escape,v,q", "leave", "Close", id="files.close", tooltip="Close the files"),
    ]

    def __init__(self, files: tuple[InputFile, ...], at: int, read: dict[int, frozenset[int]]) -> None:
        super().__init__()
        self._files = files
        self._at = at
        self._read = read
        self._read_whole: set[int] = set()

    def compose(self) -> ComposeResult:
        """Lay out the name and the content."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Input files"
            sheet.border_subtitle = "Space: read on  n: next  p: previous  Esc: close"
            yield Static(id="about")
            yield CodeView(id="file")

    def on_mount(self) -> None:
        """Show the first file."""
        self._show()

    def _show(self) -> None:
        file = self._files[self._at]
        cut = len(file.content) > SHOWN_BYTES
        note = f"  first {size(SHOWN_BYTES)} shown" if cut else ""
        self.query_one("#about", Static).update(
            content((f"{self._at + 1} of {len(self._files)}  ", "muted"), file.name,
                    (f"  {size(len(file.content))}", "muted"), (note, "warning"), self._read_words())
        )  # fmt: skip
        text = file.content[:SHOWN_BYTES].decode("utf-8", "backslashreplace")
        language = language_of(file.name.text)
        self.query_one(CodeView).show(Untrusted(text), language, (), self._read.get(self._at, ()))

    def _read_words(self) -> Part:
        if len(self._files) == 1:
            return ""
        left = [number + 1 for number in range(len(self._files)) if number not in self._read_whole]
        return (f"  unread: {', '.join(map(str, left[:12]))}" if left else "  all read", "muted")

    def _record(self) -> None:
        """Record which lines of the file were displayed."""
        view = self.query_one(CodeView)
        view.look()
        self._read[self._at] = view.seen_lines
        if len(view.seen_lines) == view.line_count:
            self._read_whole.add(self._at)

    def action_file(self, step: int) -> None:
        """Show another file."""
        self._record()
        self._at = (self._at + step) % len(self._files)
        self._show()

    def action_read_on(self) -> None:
        """Go to what was not displayed yet: in this file, then in the next one that was not read whole."""
        self._record()
        if self.query_one(CodeView).read_on():
            return
        left = [number for number in range(len(self._files)) if number not in self._read_whole]
        if left:
            self._at = next((number for number in left if number > self._at), left[0])
            self._show()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Close the files."""
        self._record()
        self.dismiss(frozenset(self._read_whole))
