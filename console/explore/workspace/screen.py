"""The files in the sandbox: a list with sizes; what is chosen is opened, or saved on this machine."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.explore.workspace.access import Entry, Workspace
from console.run.picture_sheet import PICTURE_SIGNATURES, PictureSheet
from console.run.saving import save_and_notify, suggested_name
from console.safety.text import Part, clip, content
from console.tables.formats import kind_of
from console.tables.screen import TableScreen
from console.widgets.file_name_prompt import FileNamePrompt
from console.widgets.formatting import size
from console.widgets.rows import Rows
from engine.common.text import Untrusted, many

OpenedFile = tuple[str, bytes]
"""The path of a text file below the workspace, and its bytes."""
SIZE_CELLS = 12


class FileList(Rows):
    """One row for each entry of a folder."""

    EMPTY: ClassVar[tuple[list[Part], ...]] = ([("No files here.", "muted")],)

    def __init__(self) -> None:
        super().__init__(id="workspace-files")
        self._entries: tuple[Entry, ...] = ()

    @property
    def count(self) -> int:
        """How many entries there are."""
        return len(self._entries)

    @property
    def chosen(self) -> Entry | None:
        """The entry under the cursor."""
        return self._entries[self.cursor] if self._entries else None

    def show(self, entries: tuple[Entry, ...]) -> None:
        """Show what is in a folder."""
        self._entries = entries
        self.refit()
        self.refresh()

    def draw(self, index: int, line: int, width: int) -> list[Part]:
        """Draw a name and its size."""
        entry = self._entries[index]
        cells = max(8, width - SIZE_CELLS - 2)
        name = clip(Untrusted(entry.name.text + "/" * entry.is_folder), cells)
        about = "" if entry.is_folder else size(entry.size)
        return [" ", (Untrusted(name.ljust(cells)), "primary" if entry.is_folder else "foreground"),
                (f"{about:>{SIZE_CELLS}}", "muted")]  # fmt: skip


class WorkspaceScreen(ModalScreen["OpenedFile | None"]):
    """Shows the files, and returns a text file that is to be opened in a tab."""

    HELP_TITLE = "Workspace"
    HELP_WORDS = (
        "The files in `/workspace` of the session, or of the run that goes on. Enter opens a picture, a "
        "table, or a text in a tab: ctrl+s saves it back. s saves a file on this machine, in a new file."
    )
    DEFAULT_CSS = """
    WorkspaceScreen FileList { height: 18; background: $surface; }
    WorkspaceScreen #about { height: 1; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("backspace,left", "up", "Up", id="workspace.up", tooltip="Go to the folder above"),
        Binding("r", "reload", "Reload", id="workspace.reload", tooltip="List the files again"),
        Binding("s", "save", "Save", id="workspace.save", tooltip="Save it on this machine, in a new file"),
        Binding("escape,q", "leave", "Close", id="workspace.close", tooltip="Close"),
    ]  # fmt: skip

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self._folder = PurePosixPath()

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Workspace"
            sheet.border_subtitle = "Enter opens  s saves here  r reloads  Esc closes"
            yield Static("Reading …", id="about")
            yield FileList()
            yield FileNamePrompt()

    def on_mount(self) -> None:
        """List the top folder."""
        self.query_one(FileList).focus()
        self.action_reload()

    @work(exclusive=True, group="list")
    async def action_reload(self) -> None:
        """List the folder again."""
        found = await self._workspace.list(self._path(""))
        if found is not None:
            self.query_one(FileList).show(found)
            total = size(sum(each.size for each in found))
            where = f"/workspace/{self._path('')}"
            self._say(where, f"  {many(len(found), 'file')}, {total}")

    def _say(self, *words: str) -> None:
        self.query_one("#about", Static).update(content(*(Untrusted(each) for each in words)))

    def _path(self, name: str) -> str:
        path = str(self._folder / name)
        return "" if path == "." else path

    @on(FileList.Chosen)
    def _open_chosen(self) -> None:
        entry = self.query_one(FileList).chosen
        if entry is not None and entry.is_folder:
            self._folder /= entry.name.text
            self.action_reload()
        elif entry is not None:
            self._open(self._path(entry.name.text))

    def action_up(self) -> None:
        """Go to the folder above."""
        self._folder = self._folder.parent
        self.action_reload()

    @work(exclusive=True, group="open")
    async def _open(self, path: str) -> None:
        data = await self._workspace.read(path)
        if data is None:
            return
        if data.startswith(PICTURE_SIGNATURES):
            self.app.push_screen(PictureSheet(Untrusted(path), data))
        elif kind := kind_of(path):
            self.app.push_screen(TableScreen(Untrusted(path), kind, data))
        elif _is_text(data):
            self.dismiss((path, data))
        else:
            self.notify("This is neither text, picture nor table. s saves it on this machine.")

    # --- saving -----------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask for the name of a new file."""
        entry = self.query_one(FileList).chosen
        if entry is not None and not entry.is_folder:
            self.query_one(FileNamePrompt).ask("Save as", suggested_name(entry.name, "file"))

    @on(Input.Submitted, "FileNamePrompt")
    def _file_named(self, message: Input.Submitted) -> None:
        self.query_one(FileNamePrompt).close()
        self.query_one(FileList).focus()
        if (entry := self.query_one(FileList).chosen) is not None:
            self._save(self._path(entry.name.text), message.value)

    @work(exclusive=True, group="save")
    async def _save(self, path: str, name: str) -> None:
        if (data := await self._workspace.read(path)) is not None:
            await save_and_notify(self, data, name)

    def action_leave(self) -> None:
        """Close the line for a file name, or the sheet."""
        if self.query_one(FileNamePrompt).close():
            self.query_one(FileList).focus()
        else:
            self.dismiss(None)


def _is_text(data: bytes) -> bool:
    try:
        return "\0" not in data.decode()
    except UnicodeDecodeError:
        return False
