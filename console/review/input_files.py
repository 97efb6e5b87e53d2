"""The input files of a submission: a profile of each, and every byte."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from console.app.state import console_app
from console.code_view.view import CodeView
from console.review.reading.files import FileReading
from console.review.reading.profile import Profile, profile
from console.safety.text import Part, content, paragraphs
from console.theming.highlight import language_of
from console.widgets.formatting import size
from engine.common.text import Untrusted
from engine.models import InputFile

SHOWN_BYTES = 4 << 20
"""What is larger is not read here to its end; only the profile of data counts then."""
LOOK_SECONDS = 0.2
PROFILE_SECONDS = 1.0
"""How long the whole profile of a file has to be displayed until it counts as reading the file."""


class FilesScreen(ModalScreen[None]):
    """Shows one input file at a time: its profile, and below every byte. What was displayed is in `read`."""

    AUTO_FOCUS = "#file"
    DEFAULT_CSS = """
    FilesScreen .sheet { width: 96%; height: 92%; }
    FilesScreen #about { height: 2; }
    FilesScreen #profile { height: auto; max-height: 55%; background: $surface; }
    FilesScreen #profile Static { height: auto; }
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

    def __init__(self, files: tuple[InputFile, ...], at: int, read: FileReading) -> None:
        super().__init__()
        self._files = files
        self._at = at
        self._read = read
        self._profile_seen = 0.0

    def compose(self) -> ComposeResult:
        """Lay out the name and the content."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Input files"
            sheet.border_subtitle = "Space: read on  n: next  p: previous  Esc: close"
            yield Static(id="about")
            with VerticalScroll(id="profile", can_focus=False):
                yield Static(id="facts")
            yield CodeView(id="file")

    def on_mount(self) -> None:
        """Show the first file."""
        self._show()
        self.set_interval(LOOK_SECONDS, self._look)

    def _look(self) -> None:
        self._record()
        scroll, found = self.query_one("#profile"), self._read.profiles.get(self._at)
        if found is None or not found.counts or self._at in self._read.profiled:
            return
        shown = scroll.scroll_offset.y >= scroll.max_scroll_y and self.app.screen is self
        self._profile_seen = self._profile_seen + LOOK_SECONDS if shown else 0.0
        if shown and self._profile_seen >= PROFILE_SECONDS * bool(self._row_seconds):
            self._read.profiled.add(self._at)
            self._title()

    @property
    def _row_seconds(self) -> float:
        return console_app(self).preferences.reading_seconds

    def _show(self) -> None:
        self._title()
        file = self._files[self._at]
        view = self.query_one(CodeView)
        view.row_seconds = self._row_seconds
        text = file.content[:SHOWN_BYTES].decode("utf-8", "backslashreplace")
        view.show(Untrusted(text), language_of(file.name.text), (), self._read.lines.get(self._at, ()))
        self._profile_seen = 0.0
        self.query_one("#facts", Static).update(content())
        self._find_profile(self._at)

    @work(exclusive=True)
    async def _find_profile(self, at: int) -> None:
        if at not in self._read.profiles:
            self._read.profiles[at] = await asyncio.to_thread(profile, self._files[at])
        self.query_one("#facts", Static).update(paragraphs(*profile_lines(self._read.profiles[at])))

    def _title(self) -> None:
        file = self._files[self._at]
        cut = len(file.content) > SHOWN_BYTES
        note = f"  first {size(SHOWN_BYTES)} shown" if cut else ""
        self.query_one("#about", Static).update(
            content((f"{self._at + 1} of {len(self._files)}  ", "muted"), file.name,
                    (f"  {size(len(file.content))}", "muted"), (note, "warning"), self._read_words())
        )  # fmt: skip

    def _read_words(self) -> Part:
        left = [number + 1 for number in range(len(self._files)) if number not in self._read.known]
        return (f"  unread: {', '.join(map(str, left[:12]))}" if left else "  all read", "muted")

    def _record(self) -> None:
        """Record which lines of the file were displayed."""
        view = self.query_one(CodeView)
        view.look()
        self._read.lines[self._at] = view.seen_lines
        whole = len(self._files[self._at].content) <= SHOWN_BYTES
        if whole and len(view.seen_lines) == view.line_count and self._at not in self._read.whole:
            self._read.whole.add(self._at)
            self._title()

    def action_file(self, step: int) -> None:
        """Show another file."""
        self._record()
        self._at = (self._at + step) % len(self._files)
        self._show()

    def action_read_on(self) -> None:
        """Go to what was not displayed yet: in this file, then in the next one that was not read whole."""
        self._record()
        scroll = self.query_one("#profile")
        if scroll.scroll_offset.y < scroll.max_scroll_y:
            scroll.scroll_page_down(animate=False)
            return
        if self._at not in self._read.profiled and self.query_one(CodeView).read_on():
            return
        left = [number for number in range(len(self._files)) if number not in self._read.known]
        if left:
            self._at = next((number for number in left if number > self._at), left[0])
            self._show()
        else:
            self.action_leave()

    def action_leave(self) -> None:
        """Close the files."""
        self._record()
        self.dismiss()


def profile_lines(found: Profile) -> list[list[Part]]:
    """Return a profile in lines: what it is, what is odd or could run, and a sample."""
    counts = "  this profile counts as reading" if found.counts else ""
    lines: list[list[Part]] = [
        [(found.kind, "bold accent"), ("  " + "  ".join(found.facts), "muted"), (counts, "success")]
    ]
    lines += [[("could run: ", "bold error"), (words, "error")] for words in found.executable]
    for what, rows in found.anomalies:
        lines.append([(what, "bold warning")])
        lines += [[("  ", "muted"), row] for row in rows]
    if found.sample:
        lines.append([("sample", "bold muted")])
        lines += [[("  ", "muted"), row] for row in found.sample]
    return lines
