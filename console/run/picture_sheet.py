"""One picture on a sheet."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from console.run.picture import PictureView
from console.safety.text import content
from console.widgets.formatting import size
from engine.common.text import Untrusted

PICTURE_SIGNATURES = (b"\x89PNG", b"GIF8", b"\xff\xd8\xff")
"""The first bytes of pictures."""


class PictureSheet(ModalScreen[None]):
    """Shows a picture as large as fits."""

    HELP_TITLE = "Picture"
    HELP_WORDS = "A PNG, JPEG or GIF of the sandbox, decoded in a process of its own with bounds."
    DEFAULT_CSS = """
    PictureSheet .sheet { width: 96%; max-width: 100%; height: 92%; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "leave", "Close", id="picture.close", tooltip="Close"),
    ]

    def __init__(self, name: Untrusted, data: bytes) -> None:
        super().__init__()
        self._file_name = name
        self._data = data

    def compose(self) -> ComposeResult:
        """Lay out the picture."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = content(self._file_name, f"  {size(len(self._data))}")
            sheet.border_subtitle = "Esc closes"
            yield PictureView()

    def on_mount(self) -> None:
        """Draw it."""
        self.query_one(PictureView).show(self._data)

    def action_leave(self) -> None:
        """Close."""
        self.dismiss(None)
