"""What the code may have: a form for everything that a draft can ask for."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.explore.request_fields import FIELDS, RequestOptions, filled, understood
from console.safety.text import content


class RequestFormScreen(ModalScreen["RequestOptions | None"]):
    """Changes what is asked for; nothing that is asked for is given before a decision."""

    HELP_TITLE = "What it may have"
    HELP_WORDS = (
        "A sandbox has no network, no packages and no files of yours unless they are asked for here; each "
        "raises the risk, and whoever decides sees it. Input files are read when the code is handed in. "
        "A package is NAME==VERSION, with @HASH where its hash is known and `from` another registry; one "
        "that builds itself has to be named under install scripts, too. The output is checked after the run."
    )
    DEFAULT_CSS = """
    RequestFormScreen Grid { grid-size: 2; grid-columns: 20 1fr; grid-rows: 1; height: auto; }
    RequestFormScreen Grid Static { color: $muted; }
    RequestFormScreen #words { height: auto; margin: 1 0 0 0; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Request", id="request.take", tooltip="Request these permissions"),
        Binding("down", "app.focus_next", "Next field", id="request.next", show=False, tooltip="Next field"),
        Binding("up", "app.focus_previous", "Previous field", id="request.previous", show=False,
                tooltip="Previous field"),
        Binding("escape", "leave", "Back", id="request.leave", tooltip="Change nothing"),
    ]  # fmt: skip

    def __init__(self, wishes: RequestOptions) -> None:
        super().__init__()
        self._lines = filled(wishes)

    def compose(self) -> ComposeResult:
        """Lay out a line for each thing that can be asked for."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "What it may have"
            sheet.border_subtitle = content("Enter asks for this  Esc back")
            with Grid():
                for name, (label, example) in FIELDS.items():
                    yield Static(content(label))
                    yield Input(self._lines.get(name, ""), placeholder=example, id=name,
                                select_on_focus=False)  # fmt: skip
            yield Static(
                content("All of it raises the risk, and is given only by whoever decides."), id="words"
            )

    def on_mount(self) -> None:
        """Begin at the first line."""
        self.query_one("#domains", Input).focus()

    @on(Input.Submitted)
    def action_take(self) -> None:
        """Take the form, unless something in it is wrong."""
        try:
            wishes = understood({each.id or "": each.value for each in self.query(Input)})
        except ValueError as error:
            self.query_one("#words", Static).update(content((str(error), "bold error")))
            return
        self.dismiss(wishes)

    def action_leave(self) -> None:
        """Change nothing."""
        self.dismiss(None)
