"""The dialog that opens a file: a path to type, and the matching files of its folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from console.safety.text import Part, clip, content
from console.widgets.rows import Rows
from engine.common.text import Untrusted

LISTED = 500


class FileRows(Rows):
    """The files of a folder that match the typed prefix, folders first."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("No matching file.", "muted")],)

    def __init__(self) -> None:
        super().__init__(id="files")
        self._found: list[tuple[bool, str]] = []

    @property
    def count(self) -> int:
        """How many entries match."""
        return len(self._found)

    @property
    def chosen(self) -> tuple[bool, str] | None:
        """(is a folder, name) of the entry under the cursor."""
        return self._found[self.cursor] if self._found else None

    def show(self, folder: Path, begin: str) -> None:
        """List a folder."""
        self._found = matching(folder, begin)
        self.refit()
        self.cursor = 0

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw one name."""
        is_folder, name = self._found[index]
        return [
            " ",
            (clip(Untrusted(name + "/" * is_folder), width - 2), "primary" if is_folder else "foreground"),
        ]


class OpenScreen(ModalScreen["Path | None"]):
    """Asks for the path of a file."""

    HELP_TITLE = "Open a file"
    HELP_WORDS = (
        "The file is shown and followed: whenever you save it in your own editor it is analysed again, and "
        "run again if you turned that on with ctrl+s."
    )
    DEFAULT_CSS = """
    OpenScreen FileRows { height: 12; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "move(1)", "Down", id="open.down", show=False, priority=True, tooltip="Next name"),
        Binding("up", "move(-1)", "Up", id="open.up", show=False, priority=True, tooltip="Previous name"),
        Binding("tab", "complete", "Complete", id="open.complete", priority=True,
                tooltip="Complete the name"),
        Binding("escape", "leave", "Cancel", id="open.back", tooltip="Cancel"),
    ]  # fmt: skip

    def __init__(self, start: Path, *, title: str = "Open a file", does: str = "opens") -> None:
        super().__init__()
        self._start = start
        self._title = title
        self._does = does

    def compose(self) -> ComposeResult:
        """Lay out the line and the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = self._title
            sheet.border_subtitle = content(f"Tab completes  Enter {self._does}  Esc cancels")
            yield Input(f"{self._start}/", id="path", select_on_focus=False)
            yield FileRows()

    def on_mount(self) -> None:
        """Start in the line."""
        self.query_one(Input).focus()

    @property
    def _typed(self) -> tuple[Path, str]:
        folder, _, begin = self.query_one(Input).value.rpartition("/")
        return Path(folder or "/").expanduser(), begin

    @on(Input.Changed)
    def _list(self) -> None:
        self.query_one(FileRows).show(*self._typed)

    def action_move(self, step: int) -> None:
        """Select another name."""
        self.query_one(FileRows).cursor += step

    def action_complete(self) -> None:
        """Complete the line with the selected name."""
        chosen = self.query_one(FileRows).chosen
        if chosen is not None:
            line, (folder, _) = self.query_one(Input), self._typed
            line.value = f"{folder / chosen[1]}{'/' * chosen[0]}"
            line.cursor_position = len(line.value)

    @on(Input.Submitted)
    def _open(self) -> None:
        folder, begin = self._typed
        chosen = self.query_one(FileRows).chosen
        if chosen is not None and chosen[0]:
            self.action_complete()
            return
        self.dismiss(folder / (chosen[1] if chosen is not None else begin))

    def action_leave(self) -> None:
        """Cancel."""
        self.dismiss(None)


def matching(folder: Path, prefix: str) -> list[tuple[bool, str]]:
    """Return (is a folder, name) of the entries of `folder` with this prefix, `LISTED` at most."""
    try:
        with os.scandir(folder) as entries:
            found = [(each.is_dir(), each.name) for each in entries if each.name.startswith(prefix)]
    except OSError:
        return []
    wanted = [each for each in found if prefix.startswith(".") or not each[1].startswith(".")]
    return sorted(wanted, key=lambda each: (not each[0], each[1]))[:LISTED]
