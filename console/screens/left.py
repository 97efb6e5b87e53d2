"""What a run left and showed: files, pictures, tables, texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import ContentSwitcher, Static

from console.pictures.tables import table
from console.state import console
from console.text import content
from console.units import size
from console.widgets.code_view import CodeView
from console.widgets.picture import PictureView
from engine.models import Language, Result
from engine.text import Untrusted

SHOWN_BYTES = 512 * 1024
PNG = b"\x89PNG"


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
    LeftScreen CodeView, LeftScreen PictureView { height: 1fr; background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,down", "other(1)", "Next", id="left.next", tooltip="The next thing it left"),
        Binding("p,up", "other(-1)", "Previous", id="left.previous", tooltip="The thing before"),
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
            sheet.border_subtitle = "n next  p previous  Esc closes"
            yield Static(id="about")
            with ContentSwitcher(initial="text"):
                yield CodeView(id="text")
                yield PictureView(id="picture")

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
        key = thing.key
        data = await console(self).ask(lambda client: client.artifact(self._run, key))
        if data is None:
            return
        if data.startswith(PNG):
            self.query_one(ContentSwitcher).current = "picture"
            self.query_one(PictureView).show(data)
        else:
            note = f"  only the first {size(SHOWN_BYTES)} are shown" if len(data) > SHOWN_BYTES else ""
            self._tell(thing, note)
            self._show_text(thing, Untrusted(data[:SHOWN_BYTES].decode("utf-8", "backslashreplace")))

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

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
