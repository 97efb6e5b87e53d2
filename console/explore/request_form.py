"""The permissions form of Explore: everything that a draft can request."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from console.explore.request_fields import FIELDS, RequestOptions, from_fields, to_fields
from console.safety.text import content


class RequestFormScreen(ModalScreen["RequestOptions | None"]):
    """Edits the requested permissions; nothing is granted before a decision."""

    HELP_TITLE = "Permissions"
    HELP_WORDS = (
        "A sandbox has no network, packages or input files unless you request them here; each raises the "
        "risk and is shown to the reviewer. Input files are read when the code is submitted. A package is "
        "NAME==VERSION, optionally with @HASH and `from REGISTRY`; list it under install scripts, too, if it "
        "needs to run them. The output assertion is checked after the run."
    )
    DEFAULT_CSS = """
    RequestFormScreen Grid { grid-size: 2; grid-columns: 20 1fr; grid-rows: 1; height: auto; }
    RequestFormScreen Grid Static { color: $muted; }
    RequestFormScreen #note { height: auto; margin: 1 0 0 0; color: $muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "take", "Request", id="request.take", tooltip="Request these permissions"),
        Binding("down", "app.focus_next", "Next field", id="request.next", show=False, tooltip="Next field"),
        Binding("up", "app.focus_previous", "Previous field", id="request.previous", show=False,
                tooltip="Previous field"),
        Binding("escape", "leave", "Back", id="request.leave", tooltip="Cancel"),
    ]  # fmt: skip

    def __init__(self, options: RequestOptions) -> None:
        super().__init__()
        self._fields = to_fields(options)

    def compose(self) -> ComposeResult:
        """Lay out a line for each field."""
        with Vertical(classes="sheet") as sheet:
            sheet.border_title = "Permissions"
            sheet.border_subtitle = content("Enter requests them  Esc cancels")
            with Grid():
                for name, (label, example) in FIELDS.items():
                    yield Static(content(label))
                    yield Input(self._fields.get(name, ""), placeholder=example, id=name,
                                select_on_focus=False)  # fmt: skip
            yield Static(
                content("Each permission raises the risk. The reviewer decides what is granted."), id="note"
            )

    def on_mount(self) -> None:
        """Start at the first field."""
        self.query_one("#domains", Input).focus()

    @on(Input.Submitted)
    def action_take(self) -> None:
        """Accept the form, or show what is wrong in it."""
        try:
            options = from_fields({each.id or "": each.value for each in self.query(Input)})
        except ValueError as error:
            self.query_one("#note", Static).update(content((str(error), "bold error")))
            return
        self.dismiss(options)

    def action_leave(self) -> None:
        """Cancel."""
        self.dismiss(None)
