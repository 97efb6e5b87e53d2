"""The artifacts of a run: what it displayed, and its files; pictures, tables and text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import ContentSwitcher, Input, Static

from console.app.state import console_app
from console.code_view.view import CodeView
from console.pictures.tables import table
from console.run.picture import PictureView
from console.run.saving import save_and_notify, suggested_name
from console.safety.text import content
from console.widgets.file_name_prompt import FileNamePrompt
from console.widgets.formatting import size
from engine.common.text import Untrusted
from engine.models import Language, Result

SHOWN_BYTES = 512 * 1024
PICTURE_SIGNATURES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
"""The first bytes of pictures."""


@dataclass(frozen=True)
class ArtifactEntry:
    """One thing that a run displayed or stored: its text, or the key under which its bytes are fetched."""

    name: Untrusted
    kind: str
    size: int
    text: Untrusted | None = None
    key: Untrusted | None = None


def entries_of(result: Result) -> list[ArtifactEntry]:
    """Return everything that a run displayed, then its files."""
    displays = [
        ArtifactEntry(Untrusted(f"display {number}"), each.mime, each.size or len(each.text.text),
                      None if each.digest else each.text, Untrusted(each.digest) if each.digest else None)
        for number, each in enumerate(result.displays, start=1)
    ]  # fmt: skip
    return displays + [
        ArtifactEntry(each.name, "file", each.size, None, each.name) for each in result.artifacts
    ]


class ArtifactsScreen(ModalScreen[None]):
    """Shows one artifact at a time."""

    AUTO_FOCUS = ""
    HELP_TITLE = "Artifacts"
    HELP_WORDS = "What the run displayed, and the files it stored; s saves the one that is shown."
    DEFAULT_CSS = """
    ArtifactsScreen .sheet { width: 96%; height: 92%; }
    ArtifactsScreen #about { height: 2; }
    ArtifactsScreen ContentSwitcher { height: 1fr; }
    ArtifactsScreen CodeView, ArtifactsScreen PictureView { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,down,right", "other(1)", "Next", id="artifacts.next", tooltip="Show the next artifact"),
        Binding("p,up,left", "other(-1)", "Previous", id="artifacts.previous",
                tooltip="Show the previous artifact"),
        Binding("s", "save", "Save", id="artifacts.save", tooltip="Save this artifact in a new file"),
        Binding("escape,q,a", "leave", "Close", id="artifacts.close", tooltip="Close"),
    ]  # fmt: skip

    def __init__(self, run: str, result: Result) -> None:
        super().__init__()
        self._run = run
        self._entries = entries_of(result)
        self._index = 0

    def compose(self) -> ComposeResult:
        """Lay out the name and the content."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Artifacts"
            sheet.border_subtitle = "n next  p previous  s save  Esc closes"
            yield Static(id="about")
            with ContentSwitcher(initial="text"):
                yield CodeView(id="text")
                yield PictureView(id="picture")
            yield FileNamePrompt()

    def on_mount(self) -> None:
        """Show the first artifact."""
        self._show()

    @work(exclusive=True)
    async def _show(self) -> None:
        entry = self._entries[self._index]
        self._describe(entry, "")
        if entry.key is None:
            self._show_text(entry, entry.text or Untrusted(""))
            return
        data = await self._bytes(entry)
        if data is None:
            return
        if data.startswith(PICTURE_SIGNATURES):
            self.query_one(ContentSwitcher).current = "picture"
            self.query_one(PictureView).show(data)
        else:
            self._describe(entry, f"  first {size(SHOWN_BYTES)} shown" if len(data) > SHOWN_BYTES else "")
            self._show_text(entry, Untrusted(data[:SHOWN_BYTES].decode("utf-8", "backslashreplace")))

    async def _bytes(self, entry: ArtifactEntry) -> bytes | None:
        if (key := entry.key) is None:
            return (entry.text or Untrusted("")).text.encode("utf-8", "surrogatepass")
        return await console_app(self).connection.call(lambda client: client.artifact(self._run, key))

    def _show_text(self, entry: ArtifactEntry, text: Untrusted) -> None:
        drawn = table(text) if entry.kind == "table" else None
        self.query_one(ContentSwitcher).current = "text"
        view = self.query_one(CodeView)
        view.wrapped = drawn is None
        view.show(Untrusted(drawn) if drawn is not None else text, Language.SHELL, ())

    def _describe(self, entry: ArtifactEntry, note: str) -> None:
        about = content((f"{self._index + 1} of {len(self._entries)}  ", "muted"), entry.name,
                        (f"  {entry.kind}, {size(entry.size)}", "muted"), (note, "warning"))  # fmt: skip
        self.query_one("#about", Static).update(about)

    def action_other(self, step: int) -> None:
        """Show the next or the previous artifact."""
        self._index = (self._index + step) % len(self._entries)
        self._show()

    # --- saving -----------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask for the name of a file."""
        suggestion = suggested_name(self._entries[self._index].name, f"{self._run}-{self._index + 1}")
        self.query_one(FileNamePrompt).ask("Save as", suggestion)

    @on(Input.Submitted, "FileNamePrompt")
    def _file_named(self, message: Input.Submitted) -> None:
        self.action_leave()
        self._save(self._entries[self._index], message.value)

    @work(exclusive=True, group="save")
    async def _save(self, entry: ArtifactEntry, name: str) -> None:
        if (data := await self._bytes(entry)) is not None:
            await save_and_notify(self, data, name)

    def action_leave(self) -> None:
        """Close the line for a file name, or the sheet."""
        if not self.query_one(FileNamePrompt).close():
            self.dismiss(None)
