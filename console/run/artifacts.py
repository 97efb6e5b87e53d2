"""What a run left and showed: files, pictures, tables, texts."""

from __future__ import annotations

import asyncio
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
from console.run.saving import proposed, save_bytes
from console.safety.text import content
from console.widgets.formatting import size
from engine.common.errors import Problem
from engine.common.text import Untrusted
from engine.models import Language, Result

SHOWN_BYTES = 512 * 1024
SIGNS = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
"""How pictures begin."""


@dataclass(frozen=True)
class Left:
    """One thing that a run left: its name, and its text or the name by which its bytes are fetched."""

    name: Untrusted
    kind: str
    amount: int
    text: Untrusted | None = None
    key: Untrusted | None = None


def left(result: Result) -> list[Left]:
    """Return everything that a run showed, and then its files."""
    shown = [
        Left(Untrusted(f"shown {number}"), each.mime, each.size or len(each.text.text),
             None if each.digest else each.text, Untrusted(each.digest) if each.digest else None)
        for number, each in enumerate(result.displays, start=1)
    ]  # fmt: skip
    return shown + [Left(each.name, "file", each.size, None, each.name) for each in result.artifacts]


class LeftScreen(ModalScreen[None]):
    """Shows one thing at a time."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = """
    LeftScreen .sheet { width: 96%; height: 92%; }
    LeftScreen #about { height: 2; }
    LeftScreen ContentSwitcher { height: 1fr; }
    LeftScreen #name { display: none; }
    LeftScreen #name.-open { display: block; }
    LeftScreen CodeView, LeftScreen PictureView { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,down,right", "other(1)", "Next", id="left.next", tooltip="The next thing it left"),
        Binding("p,up,left", "other(-1)", "Previous", id="left.previous", tooltip="The thing before"),
        Binding("s", "save", "Save", id="left.save", tooltip="Save this one in a new file of this machine"),
        Binding("escape,q,a", "leave", "Close", id="left.close", tooltip="Close"),
    ]

    def __init__(self, run: str, result: Result) -> None:
        super().__init__()
        self._run = run
        self._things = left(result)
        self._at = 0

    def compose(self) -> ComposeResult:
        """Lay out the name and the content."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "What it left"
            sheet.border_subtitle = "n next  p previous  s save  Esc closes"
            yield Static(id="about")
            with ContentSwitcher(initial="text"):
                yield CodeView(id="text")
                yield PictureView(id="picture")
            yield Input(id="name", select_on_focus=False)

    def on_mount(self) -> None:
        """Show the first."""
        self._show()

    @work(exclusive=True)
    async def _show(self) -> None:
        thing = self._things[self._at]
        self._tell(thing, "")
        if thing.key is None:
            self._show_text(thing, thing.text or Untrusted(""))
            return
        data = await self._bytes(thing)
        if data is None:
            return
        if data.startswith(SIGNS):
            self.query_one(ContentSwitcher).current = "picture"
            self.query_one(PictureView).show(data)
        else:
            note = f"  only the first {size(SHOWN_BYTES)} are shown" if len(data) > SHOWN_BYTES else ""
            self._tell(thing, note)
            self._show_text(thing, Untrusted(data[:SHOWN_BYTES].decode("utf-8", "backslashreplace")))

    async def _bytes(self, thing: Left) -> bytes | None:
        if (key := thing.key) is None:
            return (thing.text or Untrusted("")).text.encode("utf-8", "surrogatepass")
        return await console_app(self).ask(lambda client: client.artifact(self._run, key))

    def _show_text(self, thing: Left, text: Untrusted) -> None:
        drawn = table(text) if thing.kind == "table" else None
        self.query_one(ContentSwitcher).current = "text"
        view = self.query_one(CodeView)
        view.wrapped = drawn is None
        view.show(Untrusted(drawn) if drawn is not None else text, Language.SHELL, ())

    def _tell(self, thing: Left, note: str) -> None:
        about = content((f"{self._at + 1} of {len(self._things)}  ", "muted"), thing.name,
                        (f"  {thing.kind}, {size(thing.amount)}", "muted"), (note, "warning"))  # fmt: skip
        self.query_one("#about", Static).update(about)

    def action_other(self, step: int) -> None:
        """Show another one."""
        self._at = (self._at + step) % len(self._things)
        self._show()

    # --- into a file ------------------------------------------------------------------------------

    def action_save(self) -> None:
        """Ask for the name of a file."""
        line, number = self.query_one("#name", Input), self._at + 1
        line.value = proposed(self._things[self._at].name, f"{self._run}-{number}")
        line.cursor_position = len(line.value)
        line.border_title = "Save as; Enter saves, Esc closes"
        line.add_class("-open")
        line.focus()

    @on(Input.Submitted, "#name")
    def _named(self, message: Input.Submitted) -> None:
        self.action_leave()
        self._save(self._things[self._at], message.value)

    @work(exclusive=True, group="save")
    async def _save(self, thing: Left, name: str) -> None:
        if (data := await self._bytes(thing)) is None:
            return
        try:
            saved = await asyncio.to_thread(save_bytes, data, name)
        except Problem as problem:
            self.notify(str(problem), severity="error")
        else:
            self.notify(f"{size(saved)} are in {name}.")

    def action_leave(self) -> None:
        """Close the line for a name, or everything."""
        line = self.query_one("#name", Input)
        if not line.has_class("-open"):
            self.dismiss(None)
        line.remove_class("-open")
        self.set_focus(None)
